"""The generated pages of the site: studies from their data, reference from the program's own tables."""
import csv
import glob
import importlib
import inspect
import os
import re
import subprocess
import sys

import yaml

from markdown_pages import table
from site_figures import published_beside_measured

VERDICTS = {"pass": "within the band", "miss": "outside the band", "shown": "shown, not judged", "unmeasured": "not measured"}


def say(heddle, *words):
    return subprocess.run([heddle, *words], capture_output=True, text=True, check=True).stdout


def sections(text):
    """The first lines of a Markdown page, and its `## ` sections as (heading, text)."""
    parts = re.split(r"^## (.*)$", text, flags=re.M)
    return parts[0], list(zip(parts[1::2], parts[2::2]))


# Studies

def read_csv(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def number(text):
    try:
        return f"{float(text):.4g}"
    except (TypeError, ValueError):
        return text or ""


def study_page(folder):
    name = os.path.basename(folder)
    with open(os.path.join(folder, "study.yaml"), encoding="utf-8") as f:
        study = yaml.safe_load(f)
    checks = read_csv(os.path.join(folder, "results", "checks.csv"))
    runs = read_csv(os.path.join(folder, "results", "runs.csv"))
    about = study.get("about", "")
    text = f"# {name}\n\n{about[:1].upper() + about[1:]}.\n\n"
    if study.get("document"):
        text += f"Published in: {study['document']}.\n\n"
    text += f"```\nheddle study {name} --quick\nheddle study {name} -j2\n```\n\n"
    text += f"[study.yaml](../../studies/{name}/study.yaml)"
    for other in ("published.csv", "results/checks.csv"):
        if os.path.exists(os.path.join(folder, other)):
            text += f" · [{other}](../../studies/{name}/{other})"
    text += "\n\n"
    if checks:
        text += "## Result\n\n"
        for sort, kinds, hold in (("Orderings", ("shape",), "hold"), ("Magnitudes", ("exact", "band"), "are within their band")):
            counts = {v: sum(c["verdict"] == v and c["kind"] in kinds for c in checks) for v in VERDICTS}
            text += f"{sort}: {counts['pass']} of {counts['pass'] + counts['miss']} {hold}. "
        shown, missing = (sum(c["verdict"] == v for c in checks) for v in ("shown", "unmeasured"))
        text += f"{shown} more are shown without a verdict, {missing} were not measured. "
        text += f"The kept results hold {len(runs)} runs. [Studies at a glance](../studies.md#{name}) has the headline claims.\n\n"
        figure = published_beside_measured(checks)
        if figure:
            text += f"![published and measured values](../images/study-{name}.svg)\n\n"
        rows = [(c["id"], c["what"], number(c["published"]), number(c["measured"]), c["unit"],
                 f"{number(c['low'])} to {number(c['high'])}" if c["low"] else "", VERDICTS.get(c["verdict"], c["verdict"]),
                 c["note"]) for c in checks]
        text += table(("check", "quantity", "published", "measured", "unit", "band", "verdict", "cause or remark"), rows)
    else:
        figure = None
        text += "This study has no kept results.\n"
    notes = os.path.join(folder, "README.md")
    if os.path.exists(notes):
        with open(notes, encoding="utf-8") as f:
            body = re.sub(r"\]\(\.\./([a-z-]+)/README\.md", r"](\1.md", f.read())  # another study's page
        text += "\n" + re.sub(r"\A# .*\n", "", body).lstrip("\n")
    return name, text, figure


def studies(root, write):
    """The overview is docs/studies.md; a page for each study."""
    nav = [{"Overview": "studies.md"}]
    for path in sorted(glob.glob(os.path.join(root, "studies", "*", "study.yaml"))):
        name, text, figure = study_page(os.path.dirname(path))
        write(f"studies/{name}.md", text)
        if figure:
            write(f"images/study-{name}.svg", figure)
        nav.append({name: f"studies/{name}.md"})
    return nav


# Reference

def parameters(heddle, write):
    """One page for each component; a component that models share is listed once."""
    head, models = sections(say(heddle, "list", "params", "--markdown"))
    nav = [{"Overview": "reference/parameters.md"}]
    overview = ["# Parameters\n\nEvery parameter of a chip file, by model and component. `heddle list params` prints the same "
                "tables. Sizes, frequencies and times take a unit: `16KiB`, `1.4GHz`, `20ns`.\n\n"]
    for model, text in models:
        model = model.replace("model: ", "")
        lines = text.split("\n")
        about = lines[2] if len(lines) > 2 else ""
        groups, order = {}, []
        for row in (line for line in lines if re.match(r"\| (`|\*\*)", line)):
            path = re.match(r"\| (?:`|\*\*)([^`*]+)", row).group(1)
            part = path.split(".")[0] if "." in path or "**" in row else "chip"
            if part not in groups:
                groups[part] = []
                order.append(part)
            groups[part].append(row)
        page = f"reference/parameters/{model}.md"
        body = f"# Parameters of model {model}\n\n{about}\n"
        for part in order:
            body += f"\n## {part}\n\n| parameter | type | default | unit | legal values | meaning | source |\n|---|---|---|---|---|---|---|\n"
            body += "\n".join(groups[part]) + "\n"
        write(page, body)
        nav.append({model: page})
        overview.append(f"- [{model}](parameters/{model}.md): " + ", ".join(
            f"[{part}](parameters/{model}.md#{part})" for part in order) + "\n")
    write("reference/parameters.md", "".join(overview))
    return nav


def statistics(heddle, write):
    nav = []
    for chip, title in (("fermi15", "GPU"), ("cpu4", "CPU"), ("cpu-sve-little", "vectors"), ("acmp9", "lean cores"), ("apu46-mesh", "CPU+GPU on a mesh"),
                        ("apu46-dvfs", "frequencies"), ("pascal64x4", "sockets"), ("fabric16", "fabric")):
        page = f"reference/statistics/{chip}.md"
        text = say(heddle, "list", "stats", "--chip", chip, "--markdown")
        write(page, text)
        nav.append({f"{title} ({chip})": page})
    return nav


def chips(heddle, write):
    rows = re.findall(r"^  (\S+) +(.+)$", say(heddle, "list", "chips").split("variants that")[0], flags=re.M)
    write("reference/chips.md", "# Chips\n\n`heddle chip show NAME` prints every value of a chip and the file and line it comes "
          "from.\n\n" + table(("chip", "what it is"), [(f"[{n}](../../chips/{n}.yaml)", a) for n, a in rows]))
    return "reference/chips.md"


def refused_calls(heddle, write):
    text = ["# CUDA calls that are refused\n\nA program that makes one of these calls gets "
            "`CUDA_ERROR_NOT_SUPPORTED` or the runtime's equivalent, and heddle prints the name of the call. `heddle list cuda` "
            "prints this list.\n"]
    for group, names in re.findall(r"^refused, (.*):\n((?:  .*\n)*)", say(heddle, "list", "cuda"), flags=re.M):
        text.append(f"\n## {group[:1].upper() + group[1:]}\n\n" + ", ".join(f"`{n}`" for n in names.split()) + "\n")
    write("reference/cuda-calls.md", "".join(text))
    return "reference/cuda-calls.md"


def python_module(root, write):
    """What the module `heddle` exports, from its signatures and docstrings."""
    sys.path.insert(0, os.path.join(root, "python"))
    module = importlib.import_module("heddle")

    def about(thing):
        """The docstring; its indented examples as code."""
        text, blocks = inspect.getdoc(thing) or "", []
        for part in re.split(r"\n\n", text):
            is_code = all(line.startswith("    ") for line in part.split("\n"))
            blocks.append(f"```python\n{inspect.cleandoc(part)}\n```" if is_code else part)
        return "\n\n".join(blocks) + "\n\n"

    def heading(name, thing):
        try:
            words = str(inspect.signature(thing)) if callable(thing) else ""
        except ValueError:
            words = ""
        words = re.sub(r"(: |-> )'([^']*)'", r"\1\2", re.sub(r"\(self(, )?", "(", words))
        return f"{name}{words}"

    exported = [(name, getattr(module, name)) for name in module.__all__]
    groups = (("Functions", [e for e in exported if not inspect.isclass(e[1])]),
              ("Classes", [e for e in exported if inspect.isclass(e[1]) and not issubclass(e[1], Exception)]),
              ("Errors", [e for e in exported if inspect.isclass(e[1]) and issubclass(e[1], Exception)]))
    text = ["# Python module\n\nEverything that `import heddle` offers. [Work from Python](../howto/python.md) shows how it is used.\n"]
    for title, members in groups:
        text.append(f"\n## {title}\n")
        for name, thing in members:
            text.append(f"\n### {name}\n\n")
            if title != "Errors":
                text.append(f"```python\nheddle.{heading(name, thing)}\n```\n\n")
            text.append(about(thing))
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)) and inspect.getdoc(value):
                    words = heading(member, value) if callable(value) else member
                    text.append(f"* `{words}`: " + inspect.getdoc(value).split("\n\n")[0].replace("\n", " ") + "\n")
    write("reference/python-module.md", "".join(text))
    return "reference/python-module.md"


def make(root, heddle, write):
    """Writes all generated pages; the navigation of each place <...> of mkdocs.yml."""
    write("reference/ptx.md", say(heddle, "list", "ptx", "--markdown"))
    return {"studies": studies(root, write), "parameters": parameters(heddle, write), "statistics": statistics(heddle, write),
            "ptx": "reference/ptx.md", "cuda": refused_calls(heddle, write), "chips": chips(heddle, write), "python": python_module(root, write)}
