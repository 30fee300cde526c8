#!/usr/bin/env python3
"""A sweep of 200 runs, killed twenty times, ends with the rows of an undisturbed one. Prints TAP.

HEDDLE: the program; HEDDLE_SOURCE: the source tree; SEED: of the moments.
"""
import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

KILLS = 20
RUNS = 200
# Times, places and counts of tries are what may differ, and nothing else.
MAY_DIFFER = {'queued_at', 'started_at', 'ended_at', 'seconds', 'simulation_seconds', 'warp_instructions_per_second', 'host', 'worker',
              'attempts'}
FILES = {
    'tiny.yaml': 'kernels:\n  - {name: t, blocks: 4, threads_per_block: 64, instructions: 64, mix: {integer: 2, load: 1}, access: {stream: 1}}\n',
    'grid.yaml': 'chips: [fermi15]\nworkloads: [tiny.yaml]\nsweep:\n  sm.l1.mshrs: [1, 2, 3, 4, 5]\n  sm.warp_policy: [gto, lrr]\n'
                 '  sm.l1.ways: [2, 4]\nrepeat: 10\n',
}
claims = []


def claim(holds, text):
    claims.append(holds)
    print(f"{'ok' if holds else 'not ok'} {len(claims)} - {text}", flush=True)


def sweep(db):
    """A group of its own, as a terminal or a batch system would kill it."""
    return subprocess.Popen([os.environ['HEDDLE'], 'sweep', 'grid.yaml', '--db', db, '-j2', '-q'], start_new_session=True)


def ask(db, sql):
    try:
        with contextlib.closing(sqlite3.connect(f'file:{db}?mode=ro', uri=True, timeout=10)) as connection:
            return connection.execute(sql).fetchall()
    except sqlite3.OperationalError:
        return []  # killed before there was a file, or tables


def done(db):
    rows = ask(db, "SELECT count(*) FROM runs WHERE status = 'done'")
    return rows[0][0] if rows else 0


def rows(db):
    """Every table and view that a person reads, whole, in an order of its own."""
    connection = sqlite3.connect(f'file:{db}?mode=ro', uri=True)
    found = {}
    for table in ('runs', 'stats', 'kernels', 'settings', 'configs', 'sweep_points', 'workers'):
        cursor = connection.execute(f'SELECT * FROM {table}')
        names = [d[0] for d in cursor.description]
        keep = [i for i, name in enumerate(names) if name not in MAY_DIFFER]
        found[table] = sorted(repr([(names[i], row[i]) for i in keep]) for row in cursor)
    connection.close()
    return found


def one_kill(db, generator, kill):
    """Odd ones soon after the start, even ones when a certain part is done. Was it still running?"""
    process = sweep(db)
    if kill % 2:
        time.sleep(generator.uniform(0, 0.25))
    else:
        while process.poll() is None and done(db) < RUNS // 2 * kill / KILLS:
            time.sleep(0.005)
        time.sleep(generator.uniform(0, 0.1))
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return alive


def main():
    seed = int(os.environ.get('SEED', '1'))
    generator = random.Random(seed)
    os.environ['HEDDLE_CHIPS'] = os.path.join(os.environ['HEDDLE_SOURCE'], 'chips')
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in FILES.items():
            with open(name, 'w', encoding='utf-8') as file:
                file.write(text)
        claim(sweep('whole.db').wait() == 0 and done('whole.db') == RUNS, f'an undisturbed sweep has {RUNS} runs')
        progress = []
        killed = 0
        for kill in range(1, KILLS + 1):
            killed += one_kill('broken.db', generator, kill)
            progress.append(done('broken.db'))
        print(f'# seed {seed}: done after each kill: {progress}')
        claim(killed == KILLS, f'{KILLS} kills hit a running sweep')
        claim(progress == sorted(progress), 'what was done stays done')
        claim(sweep('broken.db').wait() == 0, 'the next sweep finishes')
        whole, broken = rows('whole.db'), rows('broken.db')
        for table, expected in whole.items():
            claim(expected == broken[table], f'{table}: the {len(expected)} rows of the undisturbed one')
            for row in sorted(set(expected) ^ set(broken[table]))[:4]:
                print(f'# only in one: {row[:300]}')
        claim(ask('broken.db', 'PRAGMA integrity_check') == [('ok',)], 'the database is whole')
        claim(not os.path.exists('broken.db-runs'), 'no temporary file is left')
        tries = ask('broken.db', 'SELECT sum(attempts) FROM runs')[0][0]
        print(f'# {tries} tries for {RUNS} runs')
        os.chdir('/')
    print(f'1..{len(claims)}')
    return 0 if all(claims) else 1


sys.exit(main())
