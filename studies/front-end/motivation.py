#!/usr/bin/env python3
"""The closed forms of Milic 2017, chapter 2: which CMP is fastest by its serial share (figure 2.2), and how many GPU
programs fill a larger GPU (figure 2.3).

    studies/front-end/motivation.py -o docs/images/motivation.svg --fill docs/images/motivation-fill.svg
    studies/front-end/motivation.py --check

A CMP has an area of 16 small cores. A big core takes 4 of them and is twice as fast (Pollack's rule: performance is the
root of area); f is the serial share.
"""
import argparse
import sys

# Time-weighted CTAs of the 41 programs (table 3.2, hpc-cores spec 1.5).
CTAS = [6272, 1250, 1800, 1014, 6075, 4096, 1008, 1954, 2599, 7396, 3249, 4630, 16384, 200, 5583, 76033, 250, 15423, 435,
        4940, 241549, 7813, 5001, 3888, 131072, 12202, 3588, 13691, 5724, 10436, 10506, 75, 770, 895, 60, 82, 163, 1046,
        699051, 3072, 60]
SMS = 56  # of the largest GPU of 2017


def four_big(f):
    return 1 / (f / 2 + (1 - f) / 8)


def sixteen_small(f):
    return 1 / (f + (1 - f) / 16)


def acmp(f, big_joins=True):
    """One big core and twelve small ones; the big one works on parallel parts too, or not."""
    return 1 / (f / 2 + (1 - f) / (14 if big_joins else 12))


def crossover(big_joins=True):
    """The serial share from which on the ACMP is faster than 16 small cores."""
    low, high = 0.0, 0.5
    for _ in range(60):
        f = (low + high) / 2
        if acmp(f, big_joins) > sixteen_small(f):
            high = f
        else:
            low = f
    return high


def fill(times):
    """The share of programs that have more CTAs than a GPU of so many times the SMs has SMs."""
    return 100 * sum(c > SMS * times for c in CTAS) / len(CTAS)


def check():
    claims = [
        ("without serial code speed-ups are 8, 16 and 14", (four_big(0), sixteen_small(0), acmp(0)) == (8, 16, 14)),
        ("the ACMP is fastest from 1.7 to 2.0 % of serial code on", 0.017 < crossover() < 0.020),
        ("1.75 % by hand: f / 2 + (1 - f) / 14 = f + (1 - f) / 16", abs(crossover() - 1 / 57) < 1e-9),
        ("a big core that does not join moves that to 4 %", 0.035 < crossover(False) < 0.045),
        ("at 10 % serial code it is faster than both", acmp(0.1) > max(four_big(0.1), sixteen_small(0.1))),
        ("there are 41 programs", len(CTAS) == 41),
        ("100, 90.2, 85.4 and 80.5 % fill GPUs of 1, 2, 4 and 8 times the SMs",
         [round(fill(t), 1) for t in (1, 2, 4, 8)] == [100, 90.2, 85.4, 80.5]),
    ]
    print(f"1..{len(claims)}")
    for i, (text, holds) in enumerate(claims, 1):
        print(f"{'ok' if holds else 'not ok'} {i} - {text}")
    return 0 if all(h for _, h in claims) else 1


def draw(path):
    width, height, left, top = 560, 300, 50, 20
    w, h, most = 380, 230, 16

    def point(f, s):
        return f"{left + w * f / 0.3:.1f},{top + h * (1 - s / most):.1f}"

    curves = [(four_big, "#888", "4 big cores"), (sixteen_small, "#c60", "16 small cores"), (acmp, "#06a", "ACMP: 1 big, 12 small")]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<path d="M{left},{top}V{top + h}H{left + w}" fill="none" stroke="black"/>']
    for s in (0, 4, 8, 12, 16):
        out.append(f'<text x="{left - 6}" y="{top + h * (1 - s / most) + 4:.0f}" text-anchor="end">{s}</text>')
    for f in (0, 0.1, 0.2, 0.3):
        out.append(f'<text x="{left + w * f / 0.3:.0f}" y="{top + h + 16}" text-anchor="middle">{100 * f:.0f} %</text>')
    out.append(f'<text x="{left + w / 2}" y="{top + h + 34}" text-anchor="middle">serial share of the program</text>')
    for i, (speedup, colour, name) in enumerate(curves):
        points = " ".join(point(k / 300, speedup(k / 300)) for k in range(91))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{left + w - 130}" y="{top + 14 + 16 * i}" fill="{colour}">{name}</text>')
    out.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


FILL_TIMES = (1, 2, 4, 8)


def draw_fill(path):
    """Bars of figure 2.3: one for each size of the GPU."""
    width, height, left, top = 420, 280, 56, 20
    w, h = 340, 210
    step = w / len(FILL_TIMES)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<path d="M{left},{top}V{top + h}H{left + w}" fill="none" stroke="black"/>']
    for s in (0, 25, 50, 75, 100):
        out.append(f'<text x="{left - 6}" y="{top + h * (1 - s / 100) + 4:.0f}" text-anchor="end">{s} %</text>')
    for i, times in enumerate(FILL_TIMES):
        share, x = fill(times), left + step * (i + 0.5)
        out.append(f'<rect x="{x - 25:.1f}" y="{top + h * (1 - share / 100):.1f}" width="50" height="{h * share / 100:.1f}" fill="#06a"/>')
        out.append(f'<text x="{x:.1f}" y="{top + h * (1 - share / 100) - 5:.1f}" text-anchor="middle">{share:.1f}</text>')
        out.append(f'<text x="{x:.1f}" y="{top + h + 16}" text-anchor="middle">{SMS * times} SMs</text>')
    out.append(f'<text x="{left + w / 2}" y="{top + h + 36}" text-anchor="middle">{len(CTAS)} GPU programs with more CTAs than SMs</text>')
    out.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--check", action="store_true", help="the claims of the text, as TAP")
    p.add_argument("-o", help="the picture of speed-ups, figure 2.2")
    p.add_argument("--fill", help="the picture of programs that fill a GPU, figure 2.3")
    a = p.parse_args()
    if a.fill:
        draw_fill(a.fill)
    if a.o:
        draw(a.o)
    return check() if a.check else 0


if __name__ == "__main__":
    sys.exit(main())
