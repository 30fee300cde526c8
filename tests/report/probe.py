"""Opens reports in a real browser and tells what is on them; for the tests beside it.

HEDDLE: the program; HEDDLE_SOURCE: the source tree.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HEDDLE, SOURCE = os.environ["HEDDLE"], os.environ["HEDDLE_SOURCE"]
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=8000", "--enable-logging=stderr"]
# What the browser asks for on its own account; it gets no answer.
OWN = re.compile(r"https?://[^/]*\.(google|googleapis|gvt1)\.com/")
count = failed = 0


def ok(good, claim, detail=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {claim}")
    if not good and detail:
        print("# " + str(detail)[:600].replace("\n", "\n# "))


def heddle(*arguments, code=0, cwd=None):
    env = dict(os.environ, HEDDLE_CHIPS=SOURCE + "/chips")
    done = subprocess.run([HEDDLE, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env, cwd=cwd, check=False)
    assert done.returncode == code, f"heddle {arguments}: exit code {done.returncode}: {done.stderr}"


# Runs before the page's own scripts, and after them.
BEFORE = """<script>window.problems = []; window.addEventListener('error', e => problems.push(e.message));
for (const k of ['error', 'warn']) console[k] = (...a) => problems.push(a.join(' '));</script>"""
AFTER = """<script>
const look = () => Object.fromEntries(charts.map(c => [c.box.id, {
  texts: [...c.box.querySelectorAll('text, tspan')].map(t => t.textContent), shapes: c.box.querySelectorAll('path').length,
  width: c.box.clientWidth, series: c.instance.getOption().series.map(s => ({name: s.name, type: s.type, data: (s.data || []).map(d => d && d.value !== undefined ? d.value : d)}))}]));
const cells = (table, column) => [...document.querySelectorAll(`#${table} tbody tr`)].map(r => r.children[column].textContent);
const choose = (box, label, value) => { const s = document.querySelector(`${box} select[aria-label="${label}"]`); s.value = value; s.dispatchEvent(new Event('change')); };
const press = (root, text) => [...document.querySelectorAll(root + ' button')].find(b => b.textContent === text).click();
const type = (label, text) => { const b = document.querySelector(`input[aria-label="${label}"]`); b.value = text; b.dispatchEvent(new Event('input')); };
const probe = {ready: document.documentElement.dataset.ready, first: look(), theme: document.documentElement.dataset.theme,
  wide: document.documentElement.scrollWidth > window.innerWidth, title: document.title, text: document.querySelector('main').innerText.slice(0, 4000)};
STEPS
probe.problems = problems;
probe.fetched = performance.getEntriesByType('resource').map(e => e.name);
const out = document.createElement('pre'); out.id = 'probe'; out.textContent = JSON.stringify(probe); document.body.append(out);
</script>"""


def browse(page, steps="", flags=(), size="1280,1000"):
    """Opens a page in the browser; returns what the probe saw, with console lines and requests."""
    with open(page) as f:
        text = f.read()
    probed = page.replace(".html", "-probed.html")
    start, mark, rest = text.partition("<noscript>")
    body, end, tail = rest.rpartition("</body>")
    with open(probed, "w") as f:
        f.write(start + BEFORE + mark + body + AFTER.replace("STEPS", steps) + end + tail)
    with tempfile.TemporaryDirectory() as profile:
        log = profile + "/net.json"
        done = subprocess.run([BROWSER, *FLAGS, *flags, f"--window-size={size}", f"--user-data-dir={profile}/user", f"--log-net-log={log}",
                               "--dump-dom", "file://" + probed], capture_output=True, text=True, timeout=30 * int(os.environ.get("HEDDLE_TEST_SLOWDOWN", "4")), check=False)
        with open(log) as f:
            net = f.read()
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
    if not found:
        return {"ready": "no probe", "problems": [done.stderr[-500:]], "first": {}}
    probe = json.loads(html.unescape(found.group(1)))
    probe["console"] = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    probe["requests"] = [u for u in re.findall(r'"url":"(https?:[^"]*)"', net) if not OWN.match(u)]
    return probe


def clean(probe, what):
    ok(probe["ready"] == "yes", f"{what}: the page is drawn to its end", probe["problems"])
    ok(not probe["problems"] and not probe.get("console"), f"{what}: no errors in the console", [probe["problems"], probe.get("console")])
    ok(not probe.get("fetched") and not probe.get("requests"), f"{what}: nothing is fetched", [probe.get("fetched"), probe.get("requests")])


def close(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-9 * max(1, abs(x)) for x, y in zip(a, b))


def finish(tests):
    """Runs the tests, each with one folder for all; skips them where there is no browser."""
    if not BROWSER:
        print("1..0 # SKIP Chromium is not installed (tools/bootstrap all)")
        return
    with tempfile.TemporaryDirectory() as folder:
        for test in tests:
            test(folder)
    print(f"1..{count}")
    sys.exit(failed > 0)
