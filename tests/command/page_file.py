"""Reads the data of pages that `evname report --html` writes."""

import json
import pathlib
import re

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def data_of(page):
    """The data of the page in a file."""
    return json.loads(re.search('id="data">(.*?)</script>', pathlib.Path(page).read_text(), re.S)[1])


def numbers(text):
    """Five bits in each letter, the lowest first; the sixth bit says that more follow."""
    out, number, shift = [], 0, 0
    for letter in text:
        part = LETTERS.index(letter)
        number |= (part & 31) << shift
        shift += 5
        if part < 32:
            out.append(number)
            number = shift = 0
    assert shift == 0, "the last number is not complete"
    return out


def texts_of(data):
    """Each text is stored as its difference from the previous one."""
    texts, before = [], ""
    for common, rest in zip(numbers(data["common"]), data["texts"]):
        before = before[:common] + rest
        texts.append(before)
    return texts
