"""Batches as pandas.DataFrame."""

from __future__ import annotations


def _series_data(column):
    import numpy
    import pandas  # type: ignore[import]
    values = numpy.asarray(column)
    missing = None if column.valid is None else ~numpy.asarray(column.valid)
    if column.dictionary is not None:
        codes = values if missing is None else numpy.where(missing, -1, values)
        return pandas.Categorical.from_codes(codes, categories=column.dictionary)
    return values if missing is None else pandas.arrays.IntegerArray(values, missing)


def to_pandas(batch):
    import pandas  # type: ignore[import]
    data = {name: _series_data(batch[name]) for name in batch.names}
    return pandas.DataFrame(data, index=pandas.RangeIndex(len(batch)), copy=False)
