"""Runs statements, and prints the answer of each: a JSON list of texts in, a JSON list of texts out."""

import json
import sys

import duckdb


def shown(value):
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(shown(part) for part in value)
    return str(value)


def table(names, rows):
    rows = [[shown(cell) for cell in row] for row in rows]
    numbers = [
        any(row[at] for row in rows) and all(not row[at] or row[at].replace(".", "", 1).isdigit() for row in rows)
        for at in range(len(names))
    ]
    widths = [max(len(line[at]) for line in [names, *rows]) for at in range(len(names))]

    def line(cells):
        padded = (
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(cells, widths, numbers)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(names), *(line(row) for row in rows)])


connection = duckdb.connect()
answers = []
for statements in json.load(sys.stdin):
    connection.execute(statements)
    description, rows = connection.description, connection.fetchall()
    is_query = not statements.lstrip().lower().startswith(("create", "set"))
    answers.append(table([column[0] for column in description], rows) if is_query else "")
json.dump(answers, sys.stdout)
