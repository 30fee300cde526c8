"""What tools that read the manual share: anchors, blocks, tables."""
import re


def anchor_of(text):
    """The anchor of a heading, as GitHub makes it."""
    text = re.sub(r"<[^>]*>", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def cell(text):
    """Text that may stand in a table."""
    return re.sub(r"\s+", " ", str(text)).replace("|", "\\|").strip()


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
