#!/usr/bin/env python3
"""Draws photos of shelves for tests: spines with rotated text, and back covers with ISBN barcodes.

usage: shelf_photo.py OUT.jpg [--spine "TITLE|AUTHOR"]… [--lying "TITLE|AUTHOR"]… [--barcode ISBN]…
                      [--exif ORIENTATION] [--noise N]

Needs Pillow (python3-pil). The barcodes are drawn here, by the rules of EAN-13 (ISO/IEC 15420), so that
nothing that reads them was also used to write them.
"""

import argparse
import random
import sys

from PIL import Image, ImageDraw, ImageFont

LEFT_ODD = "0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011".split()
LEFT_EVEN = [code[::-1] for code in (
    "1110010 1100110 1101100 1000010 1011100 1001110 1010000 1000100 1001000 1110100".split())]
RIGHT = "1110010 1100110 1101100 1000010 1011100 1001110 1010000 1000100 1001000 1110100".split()
PARITY = "OOOOOO OOEOEE OOEEOE OOEEEO OEOOEE OEEOOE OEEEOO OEOEOE OEOEEO OEEOEO".split()
FONTS = ["/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
         "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf"]


def modules(number: str) -> str:
    """The bars of an EAN-13 as ones and zeros."""
    parity = PARITY[int(number[0])]
    left = "".join((LEFT_ODD if kind == "O" else LEFT_EVEN)[int(digit)] for digit, kind in zip(number[1:7], parity))
    return "101" + left + "01010" + "".join(RIGHT[int(digit)] for digit in number[7:]) + "101"


def barcode(number: str) -> Image.Image:
    bars = modules(number)
    image = Image.new("L", (len(bars) * 3 + 60, 190), 255)
    draw = ImageDraw.Draw(image)
    for index, bar in enumerate(bars):
        if bar == "1":
            draw.rectangle([30 + index * 3, 20, 32 + index * 3, 160], fill=0)
    return image


def font(size: int):
    for path in FONTS:
        try:
            return ImageFont.truetype(path, size)
        except OSError:
            continue
    raise SystemExit("no font: install fonts-dejavu-core")


def spine(text: str, length: int, width: int, generator: random.Random) -> Image.Image:
    """A spine lying on its side, with the title at the left and the author at the right."""
    ground = generator.randrange(180, 245)
    image = Image.new("L", (length, width), ground)
    draw = ImageDraw.Draw(image)
    title, _, author = text.partition("|")
    size = 44
    letters = font(size)
    gap = 60
    wide = draw.textlength(title.upper(), font=letters) + gap + draw.textlength(author.upper(), font=letters)
    while wide > length - 80 and size > 18:
        size -= 2
        letters = font(size)
        wide = draw.textlength(title.upper(), font=letters) + gap + draw.textlength(author.upper(), font=letters)
    top = (width - size) // 2 - 4
    draw.text((40, top), title.upper(), fill=20, font=letters)
    start = 40 + draw.textlength(title.upper(), font=letters) + gap
    draw.text((start, top), author.upper(), fill=20, font=letters)
    draw.line([0, 0, length, 0], fill=90, width=3)
    return image


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--spine", action="append", default=[])
    parser.add_argument("--lying", action="append", default=[])
    parser.add_argument("--barcode", action="append", default=[])
    parser.add_argument("--exif", type=int, default=1)
    parser.add_argument("--noise", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    height = 1500
    columns = [spine(text, height - 100, 110, generator).rotate(270, expand=True) for text in options.spine]
    width = max(900, 60 + len(columns) * 130 + (1100 if options.lying else 0) + (420 if options.barcode else 0))
    photo = Image.new("L", (width, height), 120)
    x = 40
    for column in columns:
        photo.paste(column, (x, 60))
        x += 130
    for index, text in enumerate(options.lying):
        photo.paste(spine(text, 1000, 110, generator), (x + 20, height - 160 - index * 130))
    if options.lying:
        x += 1060
    for index, number in enumerate(options.barcode):
        photo.paste(barcode(number), (x + 20, 80 + index * 260))
    for _ in range(options.noise):
        photo.putpixel((generator.randrange(width), generator.randrange(height)), generator.randrange(256))
    if options.exif != 1:
        # The picture is stored turned; the tag says how to turn it back.
        turned = {3: 180, 6: 90, 8: 270}[options.exif]
        photo = photo.rotate(turned, expand=True)
    exif = Image.Exif()
    exif[0x0112] = options.exif
    exif[0x0110] = "Camera"
    photo.convert("RGB").save(options.out, quality=88, exif=exif) if options.out.endswith(".jpg") else photo.save(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
