#!/usr/bin/env python3
"""A second reader of book lists, to check the first: what an import of a list must come to.

usage: book_check.py FILE…

Imports the files one after the other into one library in memory and prints, as JSON, the counts and the
failed rows of each. It knows the formats from their services' exports only and reads with Python's csv module wherever
that can: a record is the fewest lines that csv reads strictly; a line without any is read by itself,
leniently, and has failed if it then has not as many fields as the header.
"""

import codecs
import csv
import json
import re
import sys
import unicodedata
from pathlib import Path

MOST_LINES = 40
"""How many lines a record may have."""

COLUMNS = {
    "title": ["title"],
    "author": ["author", "authors", "primary author", "author_text"],
    "isbn": ["isbn13", "isbn_13", "isbn", "isbn_10", "isbn/uid", "isbns"],
    "rating": ["my rating", "star rating", "rating"],
    "status": ["exclusive shelf", "read status", "shelf", "collections"],
    "finished": ["date read", "last date read", "finish_date"],
    "review": ["my review", "review", "review_content"],
}

codecs.register_error("stray", lambda error: (
    error.object[error.start:error.end].decode("cp1252", errors="replace"), error.end))


def text_of(content: bytes) -> str:
    """UTF-8; invalid bytes are read as Windows-1252."""
    return content.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="stray")


def strictly(text: str, delimiter: str):
    """The one record of a string; None if it needs more lines; False if more lines do not help."""
    try:
        rows = list(csv.reader([text], delimiter=delimiter, strict=True, skipinitialspace=False))
    except csv.Error as error:
        return None if "unexpected end" in str(error) else False
    return (rows or [[]])[0] if len(rows) < 2 else False


def records(text: str):
    """Rows as (fields, whether quotes do not close), the header first."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    if lines[-1] == "":
        lines.pop()
    delimiter = max(",;\t|", key=lines[0].count)
    header = next(csv.reader([lines[0]], delimiter=delimiter))
    yield header, False
    index = 1
    while index < len(lines):
        for count in range(1, MOST_LINES + 1):
            fields = strictly("".join(lines[index:index + count]), delimiter)
            if fields is not None or index + count >= len(lines):
                break
        if isinstance(fields, list):
            yield fields, False
            index += count
            continue
        fields = next(csv.reader([lines[index].rstrip("\r\n")], delimiter=delimiter), [])
        yield fields, len(fields) != len(header)
        index += 1


def cleaned(cell: str) -> str:
    """A cell without what spreadsheets and services put around it."""
    cell = cell.strip()
    for pattern in (r'="(.*)"', r"\[(.*)\]"):
        if found := re.fullmatch(pattern, cell, re.DOTALL):
            cell = found.group(1).strip()
    return cell


def is_isbn10(text: str) -> bool:
    return bool(re.fullmatch(r"\d{9}[\dX]", text)) and sum(
        (10 if digit == "X" else int(digit)) * weight for digit, weight in zip(text, range(10, 0, -1))) % 11 == 0


def is_isbn13(text: str) -> bool:
    return bool(re.fullmatch(r"97[89]\d{10}", text)) and sum(
        int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(text)) % 10 == 0


def isbn(text: str):
    """(number, fault) of a cell: the thirteen digits, why it is not a number, or neither."""
    digits = re.sub(r"[- ]", "", text).upper()
    if is_isbn13(digits):
        return digits, None
    if is_isbn10(digits) or (re.fullmatch(r"\d{6,8}[\dX]", digits) and is_isbn10(digits.zfill(10))):
        body = "978" + digits.zfill(10)[:9]
        return next(body + str(last) for last in range(10) if is_isbn13(body + str(last))), None
    if found := re.fullmatch(r"(\d)[.,](\d+)E\+?(\d+)", digits):
        whole = found.group(1) + found.group(2)
        return isbn(whole) if len(whole) == int(found.group(3)) + 1 else (None, "isbn_excel_damaged")
    if re.fullmatch(r"\d+X?", digits) and digits != "0":
        return None, "isbn_checksum" if len(digits) in (10, 13) else "isbn_length"
    return None, None


def folded(text: str) -> str:
    """Letters and digits only, small, without marks."""
    text = unicodedata.normalize("NFKD", text.casefold())
    text = re.sub(r"['’‘`´]", "", "".join(letter for letter in text if not unicodedata.combining(letter)))
    text = text.translate(str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "&": " and "}))
    return " ".join(re.findall(r"\w+", text.replace("_", " ")))


def title_key(title: str) -> str:
    title = re.sub(r"\s*\([^()]*#\s*\d[^()]*\)$", "", title)
    return re.sub(r"^(the|an?) (?=.)", "", folded(title))


def author_key(author: str) -> str:
    parts = [part.strip() for part in author.split(",")]
    return folded(" ".join(reversed(parts)) if len(parts) == 2 else author)


class Book:
    """What the library knows of a book."""

    def __init__(self, said: dict, number):
        self.said = said
        self.number = number

    def update(self, said: dict) -> bool:
        """Takes what a row says; whether that is something else."""
        changed = {name: value for name, value in said.items() if value and self.said.get(name) != value}
        self.said.update(changed)
        return bool(changed)


class Library:
    """Books by number and by title and author."""

    def __init__(self):
        self.numbers = {}
        self.keys = {}

    def find(self, number, key):
        if number in self.numbers:
            return self.numbers[number]
        return next((book for book in self.keys.get(key, []) if number is None or book.number is None), None)

    def add(self, book: Book, number, key) -> None:
        if number:
            book.number = number
            self.numbers[number] = book
        if book not in self.keys.setdefault(key, []):
            self.keys[key].append(book)

    def take(self, content: bytes) -> dict:
        """Imports a file: its counts, and the faults of each failed row."""
        rows = records(text_of(content))
        header, _ = next(rows)
        names = [re.sub(r"\s+", " ", name.strip().lower()) for name in header]
        places = {meaning: [names.index(name) for name in known if name in names]
                  for meaning, known in COLUMNS.items()}
        counts = dict(rows=0, imported=0, updated=0, duplicates=0, failed=0, blank=0)
        failures = {}
        inFile = Library()
        for number, (fields, isOpen) in enumerate(rows, 1):
            counts["rows"] += 1
            outcome, faults = self.judge(fields, isOpen, len(header), places, inFile)
            counts[outcome] += 1
            if faults:
                failures[str(number)] = faults
        return {"counts": counts, "failures": failures}

    def judge(self, fields, isOpen, width, places, inFile):
        if isOpen:
            return "failed", ["quote_unclosed"]
        if not any(field.strip() for field in fields):
            return "blank", []
        if len(fields) < width or any(field.strip() for field in fields[width:]):
            return "failed", ["column_count"]
        first = {meaning: next((cleaned(fields[place]) for place in columns if cleaned(fields[place])), "")
                 for meaning, columns in places.items() if meaning != "isbn"}
        cells = [part for place in places["isbn"] for part in cleaned(fields[place]).split(", ") if part]
        found = [isbn(cleaned(cell)) for cell in cells]
        numbers = [number for number, _ in found if number]
        if not first["title"]:
            return "failed", ["title_missing"]
        number = numbers[0] if numbers else None
        key = (title_key(first["title"]), author_key(first["author"]))
        # A rating of 0 counts as no rating.
        said = {name: first[name] for name in ("rating", "status", "finished", "review") if name in first}
        if re.fullmatch(r"0([.,]0*)?", said.get("rating", "")):
            said["rating"] = ""
        earlier = inFile.find(number, key)
        if earlier and number and earlier.number is None and (met := self.find(None, key)) and met.number:
            # The earlier row met a book with a number; it does not match another one.
            inFile.add(earlier, met.number, key)
            earlier = inFile.find(number, key)
        if earlier:
            inFile.add(earlier, number or earlier.number, key)
            known = self.find(number, key)
            if known:
                self.add(known, number or known.number, key)
            return "duplicates", []
        inFile.add(Book(said, number), number, key)
        book = self.find(number, key)
        if book is None:
            self.add(Book(said, number), number, key)
            return "imported", []
        self.add(book, number or book.number, key)
        return "updated" if book.update(said) else "duplicates", []


def main() -> int:
    library = Library()
    for file in sys.argv[1:]:
        print(json.dumps(library.take(Path(file).read_bytes())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
