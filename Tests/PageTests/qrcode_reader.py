"""A reader of QR codes on a terminal, by zxing-cpp."""

import re

import zxingcpp

# The modules of a character, the upper and the lower one, and whether each has the text color.
GLYPHS = {"█": (True, True), "▀": (True, False), "▄": (False, True), " ": (False, False)}
BLACK_ON_WHITE = "\x1b[38;5;16;48;5;231m"
# The number of pixels of a module's side.
SCALE = 4


def read_code(output: str) -> str:
    """Returns the text of the only QR code in the output of a command.

    Lines that set their colors are read as black on white, and others as on a dark background.
    """
    rows = []
    for line in output.splitlines():
        text = re.sub(r"\x1b\[[0-9;]*m", "", line)
        if len(text) < 20 or set(text) - set(GLYPHS):
            continue
        is_dark_text = line.startswith(BLACK_ON_WHITE)
        for half in (0, 1):
            rows.append([GLYPHS[character][half] == is_dark_text for character in text])
    width, height = len(rows[0]) * SCALE, len(rows) * SCALE
    pixels = bytes(0 if is_dark else 255 for row in rows for _ in range(SCALE) for is_dark in row for _ in range(SCALE))
    found = zxingcpp.read_barcodes(memoryview(pixels).cast("B", (height, width)))
    assert len(found) == 1, f"{len(found)} codes in {output}"
    return found[0].text
