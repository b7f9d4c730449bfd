#!/usr/bin/env python3
"""Writes exports of book services with the damage that real ones have, and says what an import must make of them.

usage: book_exports.py SERVICE ROWS [--seed N] [--newer] --out FILE [--truth FILE]

SERVICE is goodreads, storygraph, librarything or bookwyrm. The same seed gives the same bytes. What is
expected follows from how each row was made, not from reading the file. With --newer the same books are
exported again later: every tenth one has another rating.
"""

import argparse
import csv
import io
import json
import random
import sys

ADJECTIVES = """Silent Crimson Hidden Broken Golden Distant Burning Frozen Hollow Wandering Gentle Savage Forgotten
Luminous Bitter Restless Scarlet Ancient Velvet Shattered Quiet Electric Midnight Winter Emerald Faithful Stolen Endless
Naïve Blaue Ténébreuse Última""".split()
NOUNS = """River Orchard Mountain Library Clock Garden Lighthouse Harbour Mirror Engine Sparrow Cathedral Compass Lantern
Island Archive Bridge Tiger Meadow Winter Sailor Machine Kingdom Shadow Letter Forest Señora Straße Forêt Återkomst""".split()
PLACES = """Lisbon Kraków Antwerp Marrakesh Uppsala Zürich Córdoba Prague Nantes Bergen Tallinn Palermo Sofia Galway Bruges
Graz Lund Porto Delft Izmir Quito Kyoto Samarkand Oslo Ghent Malmö Bath Siena Toledo Trieste Dunkirk Havana""".split()
FIRST = """Anna Björn Chloé Dmitri Elena François Gabriel Hélène Ingrid José Käthe Luis Maria Noël Olga Pavel Quentin Renée
Søren Tomás Ursula Víctor Wanda Xavier Yolanda Zoë""".split()
LAST = """Almeida Bergström Castellanos Dvořák Eriksen Fernández Grünwald Hawthorne Ibáñez Jensen Kowalski Lefèvre Müller
Novak O'Brien Petrov Quintero Ramírez Sørensen Tanaka Ueda Vasquez Whitfield Xu Yamamoto Zieliński""".split()
REVIEWS = [
    "A book to read twice.", "Slow at first,\nthen impossible to put down.", 'The line "nothing is lost" stays with you.',
    "Trop long ; mais quelle fin !\n\nVraiment.", "Meh<br/>Expected more, frankly.", "", "", "",
]
PUBLISHERS = ["Ace Books", "Gallimard", "Penguin, London", "Suhrkamp", "Anagrama"]


def check13(body: str) -> str:
    total = sum(int(digit) * (1 if index % 2 == 0 else 3) for index, digit in enumerate(body))
    return body + str((10 - total % 10) % 10)


def check10(body: str) -> str:
    total = sum(int(digit) * (10 - index) for index, digit in enumerate(body))
    rest = (11 - total % 11) % 11
    return body + ("X" if rest == 10 else str(rest))


class Book:
    """A book with everything that any service says of it."""

    def __init__(self, number: int, title: str, generator: random.Random):
        self.number = number
        self.title = title
        self.first = generator.choice(FIRST)
        self.last = generator.choice(LAST)
        body = f"{generator.randrange(10**8):09d}" if number % 3 else f"0{generator.randrange(10**8):08d}"
        self.number_as(body)
        self.rating = generator.randrange(0, 6)
        self.pages = generator.randrange(80, 900)
        self.year = generator.randrange(1950, 2024)
        self.publisher = generator.choice(PUBLISHERS)
        self.status = generator.choice(["read", "read", "to-read", "currently-reading"])
        self.added = f"20{generator.randrange(10, 24):02d}/{generator.randrange(1, 13):02d}/{generator.randrange(1, 29):02d}"
        self.review = generator.choice(REVIEWS)
        self.shelves = generator.sample(["favourites", "owned", "sci-fi", "été 2020", "lent out"], generator.randrange(0, 3))
        self.series = f" (The {generator.choice(NOUNS)} Cycle, #{generator.randrange(1, 9)})" if number % 7 == 0 else ""

    def number_as(self, body: str) -> None:
        """Gives the book the numbers with these nine digits."""
        self.isbn10 = check10(body)
        self.isbn13 = check13("978" + body)


class Service:
    """How one service writes its export: a header, a row of a book, and how rows become bytes."""

    delimiter = ","
    line_end = "\n"
    encoding = "utf-8"
    mark = b""

    def __init__(self, generator: random.Random):
        self.generator = generator

    def line(self, fields: list[str]) -> str:
        out = io.StringIO()
        csv.writer(out, delimiter=self.delimiter, lineterminator=self.line_end).writerow(fields)
        return out.getvalue()

    def encode(self, text: str) -> bytes:
        return text.encode(self.encoding)

    # The values of the columns with numbers, if they are sound, absent or damaged.
    def put_isbn(self, row: list[str], isbn10: str, isbn13: str) -> None:
        for name, value in (("ISBN", isbn10), ("ISBN13", isbn13)):
            row[self.header.index(name)] = value


class Goodreads(Service):
    header = ("Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,Publisher,Binding,"
              "Number of Pages,Year Published,Original Publication Year,Date Read,Date Added,Bookshelves,"
              "Bookshelves with positions,Exclusive Shelf,My Review,Spoiler,Private Notes,Read Count,"
              "Owned Copies").split(",")

    def row(self, book: Book) -> list[str]:
        shelves = ", ".join(book.shelves)
        return [str(book.number), book.title + book.series, f"{book.first} {book.last}", f"{book.last}, {book.first}",
                "", "", "", str(book.rating), "3.91", book.publisher, "Paperback", str(book.pages), str(book.year),
                str(book.year - 3), book.added if book.status == "read" else "", book.added, shelves, "", book.status,
                book.review, "", "", "1" if book.status == "read" else "0", "0"]

    def put_isbn(self, row, isbn10, isbn13):
        super().put_isbn(row, f'="{isbn10}"', f'="{isbn13}"')


class StoryGraph(Service):
    header = ("Title,Authors,Contributors,ISBN/UID,Format,Read Status,Date Added,Last Date Read,Dates Read,Read Count,Moods,"
              "Pace,Star Rating,Review,Content Warnings,Tags,Owned?").split(",")
    line_end = "\r\n"
    mark = b"\xef\xbb\xbf"

    def row(self, book: Book) -> list[str]:
        read = book.added if book.status == "read" else ""
        return [book.title, f"{book.first} {book.last}", "", "", "paperback", book.status, book.added, read,
                f"2019/01/02-{read}" if read else "", "1" if read else "0", "dark, tense", "slow",
                f"{book.rating}.25" if 0 < book.rating < 5 else "", book.review, "", ", ".join(book.shelves), "No"]

    def put_isbn(self, row, isbn10, isbn13):
        row[self.header.index("ISBN/UID")] = isbn13 or isbn10


class LibraryThing(Service):
    header = ("Book Id,Title,Sort Character,Primary Author,Primary Author Role,Secondary Author,Secondary Author Roles,"
              "Publication,Date,Review,Rating,Comment,Private Comment,Summary,Media,Physical Description,Weight,Height,"
              "Thickness,Length,Dimensions,Page Count,LCCN,Acquired,Date Started,Date Read,Barcode,BCID,Tags,Collections,"
              "Languages,Original Languages,LC Classification,ISBN,ISBNs,Subjects,Dewey Decimal,Dewey Wording,"
              "Other Call Number,Copies,Source,Entry Date,From Where,OCLC,Work id,Lending Patron,Lending Status,"
              "Lending Start,Lending End").split(",")
    delimiter = "\t"

    def row(self, book: Book) -> list[str]:
        row = [""] * len(self.header)

        def put(name, value):
            row[self.header.index(name)] = value
        put("Book Id", str(book.number))
        put("Title", book.title)
        put("Sort Character", "1")
        put("Primary Author", f"{book.last}, {book.first}")
        put("Publication", f"{book.publisher} ({book.year}), {book.pages} pages")
        put("Date", str(book.year))
        put("Review", book.review)
        put("Rating", f"{book.rating}.5" if 0 < book.rating < 5 else "")
        put("Media", "Paperback")
        put("Page Count", f"{book.pages} ")
        put("Date Read", f"[{book.added.replace('/', '-')}]" if book.status == "read" else "")
        put("Tags", ",".join(book.shelves))
        put("Collections", "Your library" if book.status == "read" else "To read")
        put("Languages", "English")
        put("Copies", "1")
        put("Entry Date", f"[{book.added.replace('/', '-')}]")
        put("Work id", str(book.number * 7))
        return row

    def put_isbn(self, row, isbn10, isbn13):
        row[self.header.index("ISBN")] = f"[{isbn10 or isbn13}]"
        row[self.header.index("ISBNs")] = ", ".join(text for text in (isbn10, isbn13) if text)

    def encode(self, text: str) -> bytes:
        # Real files have bytes of Latin-1 in the middle of UTF-8.
        if self.generator.random() < 0.05:
            return text.encode("latin-1", errors="ignore")
        return text.encode()


class BookWyrm(Service):
    header = ("title,author_text,remote_id,openlibrary_key,inventaire_id,librarything_key,goodreads_key,isbn_10,isbn_13,"
              "oclc_number,start_date,finish_date,stopped_date,rating,review_name,review_cw,review_content,review_published,"
              "shelf,shelf_name,shelf_date").split(",")
    encoding = "cp1252"

    def row(self, book: Book) -> list[str]:
        day = book.added.replace("/", "-")
        shelf = {"currently-reading": "reading"}.get(book.status, book.status)
        return [book.title, f"{book.first} {book.last}", f"https://bookwyrm.example/book/{book.number}", f"OL{book.number}M",
                "", "", "", "", "", "", day if shelf != "to-read" else "", day if shelf == "read" else "", "",
                str(book.rating) if book.rating else "", "", "", book.review, "", shelf, shelf.title(), day]

    def put_isbn(self, row, isbn10, isbn13):
        row[self.header.index("isbn_10")] = isbn10
        row[self.header.index("isbn_13")] = isbn13

    def encode(self, text: str) -> bytes:
        return text.encode(self.encoding, errors="replace")


SERVICES = {"goodreads": Goodreads, "storygraph": StoryGraph, "librarything": LibraryThing, "bookwyrm": BookWyrm}


class Export:
    """One file and what an import into an empty library must make of it."""

    def __init__(self, service: str, rows: int, seed: int = 1, newer: bool = False):
        self.generator = random.Random(f"{service}-{seed}")
        self.newer = newer
        self.service = SERVICES[service](self.generator)
        self.titles = set()
        self.isbns: set[str] = set()
        self.seen: list[Book] = []
        self.seen_with_isbn: set[int] = set()
        self.counts = dict(rows=0, imported=0, updated=0, duplicates=0, failed=0, blank=0)
        self.failures: dict[str, str] = {}
        self.body = [self.service.mark + self.header_bytes()]
        self.changed: set[int] = set()
        while self.counts["rows"] < rows:
            self.add_row()
        self.bytes = b"".join(self.body)

    def header_bytes(self) -> bytes:
        return self.service.line(self.service.header).encode(self.service.encoding)

    def truth(self) -> dict:
        return {"counts": self.counts, "failures": self.failures}

    def new_book(self) -> Book:
        while True:
            title = f"The {self.generator.choice(ADJECTIVES)} {self.generator.choice(NOUNS)} of {self.generator.choice(PLACES)}"
            if self.generator.random() < 0.5:
                title += f": {self.generator.choice(ADJECTIVES)} {self.generator.choice(NOUNS)}"
            # Windows-1252 does not have every letter, and what it lacks is not the title any more.
            title = title.encode("cp1252", errors="ignore").decode("cp1252")
            if title not in self.titles:
                self.titles.add(title)
                break
        book = Book(len(self.titles), title, self.generator)
        while book.isbn13 in self.isbns:
            # Numbers are drawn, and two books must not have the same one.
            book.number_as(f"{self.generator.randrange(10**9):09d}")
        self.isbns.add(book.isbn13)
        for name in ("first", "last"):
            setattr(book, name, getattr(book, name).encode("latin-1", errors="ignore").decode("latin-1"))
        return book

    def count(self, outcome: str, code: str = "") -> None:
        self.counts["rows"] += 1
        self.counts[outcome] += 1
        if outcome == "failed":
            self.failures[str(self.counts["rows"])] = code

    def write(self, line: str) -> None:
        self.body.append(self.service.encode(line))

    def write_book(self, book: Book, numbers: bool) -> None:
        row = self.service.row(book)
        if numbers:
            self.service.put_isbn(row, book.isbn10, book.isbn13)
        else:
            self.service.put_isbn(row, "", "")
        self.write(self.service.line(row))

    def add_row(self) -> None:
        chance = self.generator.random()
        service = self.service
        if chance < 0.02:
            blank = service.line_end if self.generator.random() < 0.5 else service.delimiter * (len(service.header) - 1) + service.line_end
            self.write(blank)
            self.count("blank")
        elif chance < 0.10 and self.seen:
            book = self.generator.choice(self.seen)
            self.write_book(book, numbers=self.generator.random() < 0.6 and book.number in self.seen_with_isbn)
            self.count("duplicates")
        elif chance < 0.20:
            self.add_damaged_row(self.new_book())
        else:
            self.add_sound_row(self.new_book())

    def add_sound_row(self, book: Book) -> None:
        service = self.service
        kind = self.generator.randrange(12)
        if self.newer and book.number % 10 == 0:
            book.rating = 1 if book.rating != 1 else 2
            self.changed.add(book.number)
        if isinstance(service, (StoryGraph, LibraryThing)) and book.rating in (0, 5) and book.number in self.changed:
            # These exports write no rating for 0 and 5 here; nothing to see.
            book.rating = 1
        row = service.row(book)
        has_isbn = True
        if kind == 0:
            has_isbn = False
            service.put_isbn(row, "", "")
        elif kind == 1 and book.isbn10.startswith("0") and isinstance(service, (Goodreads, StoryGraph, BookWyrm)):
            # A spreadsheet has cut the zeros; the shorter number alone is left.
            short = book.isbn10.lstrip("0")
            if len(short) >= 7 and short[:-1].isdigit():
                service.put_isbn(row, short, "")
                for name in ("ISBN", "ISBN13"):
                    if name in service.header:
                        row[service.header.index(name)] = short if name == "ISBN" else ""
            else:
                service.put_isbn(row, book.isbn10, book.isbn13)
        elif kind == 2 and isinstance(service, (Goodreads, BookWyrm)):
            # The long number is damaged, the short one is sound.
            mantissa = f"{book.isbn13[0]}.{book.isbn13[1:6]}E+12"
            service.put_isbn(row, book.isbn10, mantissa)
        else:
            service.put_isbn(row, book.isbn10, book.isbn13)
        if kind == 3 and isinstance(service, StoryGraph):
            has_isbn = False
            row[service.header.index("ISBN/UID")] = f"9d0b43c8-{book.number:04d}-uid"
        line = service.line(row)
        if kind == 4 and isinstance(service, (Goodreads, StoryGraph, BookWyrm)):
            # Quotes inside quotes that are not doubled.
            review = service.header.index(next(name for name in ("My Review", "Review", "review_content")
                                               if name in service.header))
            place = "§§§"
            line = service.line(row[:review] + [place] + row[review + 1:])
            line = line.replace(place, '"He said "fine" and left."')
        self.write(line)
        self.seen.append(book)
        if has_isbn:
            self.seen_with_isbn.add(book.number)
        self.count("imported")

    def add_damaged_row(self, book: Book) -> None:
        service = self.service
        row = service.row(book)
        service.put_isbn(row, "", "")
        title = service.header.index("Title" if "Title" in service.header else "title")
        kind = self.generator.randrange(5)
        if kind == 0:
            row[title] = "  " if self.generator.random() < 0.5 else ""
            self.write(service.line(row))
            self.count("failed", "title_missing")
        elif kind == 1:
            wrong = book.isbn13[:-1] + str((int(book.isbn13[-1]) + 1 + self.generator.randrange(8)) % 10)
            if wrong == book.isbn13:
                wrong = book.isbn13[:-1] + str((int(book.isbn13[-1]) + 1) % 10)
            # A book whose number is broken is a book.
            service.put_isbn(row, "", wrong)
            self.write(service.line(row))
            self.count("imported")
        elif kind == 2:
            service.put_isbn(row, "", f"{book.isbn13[0]}.{book.isbn13[1:6]}E+12")
            self.write(service.line(row))
            self.count("imported")
        elif kind == 3:
            self.write(service.line(row + ["one", "more"]))
            self.count("failed", "column_count")
        else:
            # A quote that is not closed, and a field too many on the line.
            row = [text.replace("\n", " ").replace('"', "'") for text in row]
            row[title] = '"' + "Open" + service.delimiter + " " + book.title
            self.write(service.delimiter.join(text.replace(service.delimiter, " ") if index != title else text
                                              for index, text in enumerate(row)) + service.line_end)
            self.count("failed", "quote_unclosed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("service", choices=sorted(SERVICES))
    parser.add_argument("rows", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--newer", action="store_true")
    parser.add_argument("--out", required=True)
    parser.add_argument("--truth")
    options = parser.parse_args()
    export = Export(options.service, options.rows, options.seed, options.newer)
    with open(options.out, "wb") as file:
        file.write(export.bytes)
    if options.truth:
        with open(options.truth, "w") as file:
            json.dump(export.truth(), file)
    print(json.dumps(export.counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
