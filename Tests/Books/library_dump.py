#!/usr/bin/env python3
"""Writes dump files as Open Library publishes them (https://openlibrary.org/developers/dumps), invented and seeded.

usage: library_dump.py FOLDER WORKS [--seed N] [--plain]

Three files: authors, works and editions, compressed with gzip unless --plain. The first works are real ones that tests
and the demo ask for; the others are made up. Fields come and go, values have both of their shapes, and there
are redirects, deletions and broken lines, as in the real files.
"""

import argparse
import gzip
import json
import os
import random
import sys

from book_exports import ADJECTIVES, FIRST, LAST, NOUNS, PLACES, check10, check13

REAL = [
    ("Dune", None, "Frank Herbert", 1965, "9780441013593"),
    ("Dune Messiah", None, "Frank Herbert", 1969, "9780593098233"),
    ("The Left Hand of Darkness", None, "Ursula K. Le Guin", 1969, "9780441478125"),
    ("The Dispossessed", "an ambiguous utopia", "Ursula K. Le Guin", 1974, "9780061054884"),
    ("Kindred", None, "Octavia E. Butler", 1979, "9780807083697"),
    ("Piranesi", None, "Susanna Clarke", 2020, "9781635575637"),
    ("Sapiens", "a brief history of humankind", "Yuval Noah Harari", 2011, "9780062316097"),
    ("Les Misérables", None, "Victor Hugo", 1862, "9780451419439"),
    ("Neuromancer", None, "William Gibson", 1984, "9780441569595"),
    ("The Name of the Rose", None, "Umberto Eco", 1980, "9780156001311"),
    ("Invisible Cities", None, "Italo Calvino", 1972, "9780156453806"),
    ("Middlemarch", None, "George Eliot", 1871, "9780141439549"),
    ("Beloved", None, "Toni Morrison", 1987, "9781400033416"),
    ("The Master and Margarita", None, "Mikhail Bulgakov", 1967, "9780141180144"),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("works", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    os.makedirs(options.folder, exist_ok=True)

    def opened(name):
        path = os.path.join(options.folder, f"ol_dump_{name}.txt" + ("" if options.plain else ".gz"))
        return open(path, "wb") if options.plain else gzip.open(path, "wb", compresslevel=1)

    def write(file, kind, key, value):
        text = json.dumps(value, ensure_ascii=False)
        file.write(f"/type/{kind}\t{key}\t3\t2023-04-01T12:00:00.000000\t{text}\n".encode())

    authors = {}
    counts = dict(authors=0, works=0, editions=0, isbns=0, broken=0, others=0, rejected=0)
    with opened("authors") as author_file, opened("works") as work_file, opened("editions") as edition_file:
        def author_key(name):
            if name not in authors:
                authors[name] = f"/authors/OL{1000 + len(authors)}A"
                write(author_file, "author", authors[name], {
                    "key": authors[name], "name": name, "type": {"key": "/type/author"},
                    **({"bio": {"type": "/type/text", "value": "A life."}} if generator.random() < 0.2 else {}),
                })
                counts["authors"] += 1
            return authors[name]

        for number in range(options.works):
            if number < len(REAL):
                title, subtitle, name, year, isbn = REAL[number]
            else:
                title = f"The {generator.choice(ADJECTIVES)} {generator.choice(NOUNS)} of {generator.choice(PLACES)} {number}"
                subtitle = f"{generator.choice(ADJECTIVES)} {generator.choice(NOUNS)}" if generator.random() < 0.2 else None
                name = f"{generator.choice(FIRST)} {generator.choice(LAST)}"
                year = generator.randrange(1800, 2024)
                isbn = check13(f"978{generator.randrange(10**9):09d}")
            key = f"/works/OL{number + 1}W"
            work = {"key": key, "title": title, "type": {"key": "/type/work"}, "covers": [-1, 1000 + number]}
            if number < len(REAL) or generator.random() < 0.95:
                work["authors"] = [{"author": {"key": author_key(name)}, "type": {"key": "/type/author_role"}}]
            if subtitle:
                work["subtitle"] = subtitle
            if generator.random() < 0.6:
                work["subjects"] = generator.sample(["Fiction", "History", "Science fiction", "Essays", "Poetry"], 2)
            if number < len(REAL) or generator.random() < 0.2:
                work["first_publish_date"] = f"July 1, {year}" if number % 2 else str(year)
            if generator.random() < 0.1:
                work["description"] = "Plain." if number % 2 else {"type": "/type/text", "value": "Dressed.\nTwice."}
            write(work_file, "work", key, work)
            counts["works"] += 1
            for _ in range(1 if number < len(REAL) else generator.randrange(0, 4)):
                counts["editions"] += 1
                edition = {"key": f"/books/OL{counts['editions']}M", "title": title, "works": [{"key": key}],
                           "type": {"key": "/type/edition"}}
                if subtitle:
                    edition["subtitle"] = subtitle
                if generator.random() < 0.5:
                    edition["isbn_13"] = [isbn]
                    edition["isbn_10"] = [check10(isbn[3:12])]
                else:
                    edition["isbn_10" if generator.random() < 0.5 else "isbn_13"] = \
                        [check10(isbn[3:12]) if generator.random() < 0.5 else isbn]
                counts["isbns"] += 1
                if generator.random() < 0.02:
                    edition["isbn_13"] = edition.get("isbn_13", []) + ["9780000000000"]
                    counts["broken"] += 1
                if generator.random() < 0.7:
                    edition["publishers"] = [generator.choice(["Ace", "Gallimard", "Penguin"])]
                    edition["publish_date"] = generator.choice([f"{year + 20}", f"May {year + 20}", "19--?"])
                    edition["number_of_pages"] = generator.randrange(90, 900)
                    edition["languages"] = [{"key": "/languages/eng"}]
                    edition["physical_format"] = "Paperback"
                write(edition_file, "edition", edition["key"], edition)
                isbn = check13(f"978{generator.randrange(10**9):09d}")
            if generator.random() < 0.01:
                write(work_file, "redirect", f"/works/OL{number + 10**8}W", {"location": key})
                counts["others"] += 1
            if generator.random() < 0.002:
                work_file.write(b"/type/work\t/works/OL5W\t1\t2020\t{\"title\": \"cut")
                work_file.write(b"\n")
                counts["rejected"] += 1
    print(json.dumps(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
