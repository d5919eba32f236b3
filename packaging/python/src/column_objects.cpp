// Columns as Python objects: the buffer protocol, and capsules for Arrow.

#include <pybind11/stl.h>

#include "columns.hpp"

namespace evname_python {
namespace {

// A column of a batch, which it keeps alive.
struct ColumnObject {
  SharedBatch batch;
  const Column* column;
};

// Which values there are, a byte each.
struct Mask {
  SharedBatch batch;
  const Column* column;
};

const char* type_name(Kind kind) {
  return kind == Kind::text ? "text" : kind == Kind::int64 ? "int64" : "uint64";
}

py::buffer_info buffer(const void* data, std::size_t item_size, const char* format,
                       std::size_t count) {
  return {const_cast<void*>(data),           static_cast<py::ssize_t>(item_size),   format, 1,
          {static_cast<py::ssize_t>(count)}, {static_cast<py::ssize_t>(item_size)}, true};
}

py::buffer_info values_buffer(ColumnObject& self) {
  const Column& column = *self.column;
  const Kind kind = column.field->kind;
  return buffer(column.values(), column.item_size(),
                kind == Kind::text    ? "i"
                : kind == Kind::int64 ? "q"
                                      : "Q",
                column.size());
}

std::size_t row_of(const Column& column, py::ssize_t index) {
  const auto size = static_cast<py::ssize_t>(column.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) throw py::index_error("there is no such row");
  return static_cast<std::size_t>(index);
}

py::object value_at(const ColumnObject& self, py::ssize_t index) {
  const Column& column = *self.column;
  const std::size_t row = row_of(column, index);
  if (column.nulls != 0 && column.valid[row] == 0) return py::none();
  if (column.field->kind == Kind::text)
    return py::str(column.dictionary->values[column.codes[row]]);
  if (column.field->kind == Kind::int64)
    return py::int_(static_cast<std::int64_t>(column.numbers[row]));
  return py::int_(column.numbers[row]);
}

py::object dictionary_of(const ColumnObject& self) {
  if (self.column->dictionary == nullptr) return py::none();
  return py::cast(self.column->dictionary->values);
}

py::object mask_of(const ColumnObject& self) {
  if (self.column->nulls == 0) return py::none();
  return py::cast(Mask{self.batch, self.column});
}

std::vector<std::string> names_of(const Batch& batch) {
  std::vector<std::string> names;
  for (const Column& column : batch.columns) names.emplace_back(column.field->name);
  return names;
}

ColumnObject column_of(const SharedBatch& batch, const std::string& name) {
  for (const Column& column : batch->columns)
    if (column.field->name == name) return {batch, &column};
  throw py::key_error(name);
}

struct BatchObject {
  SharedBatch batch;
};

BatchObject next_of(Batches& self) {
  SharedBatch batch;
  {
    py::gil_scoped_release released;
    batch = self.next();
  }
  if (batch != nullptr) return {batch};
  self.pass()->finish();
  throw py::stop_iteration();
}

// All samples that are left, in one batch.
BatchObject read_all(Batches& self) {
  SharedBatch batch;
  {
    py::gil_scoped_release released;
    batch = self.next();
  }
  self.pass()->finish();
  return {batch != nullptr ? batch : self.empty()};
}

void add_column(py::module_& module) {
  py::class_<Mask>(module, "Mask", py::buffer_protocol(),
                   "A mask of the values that a column has, a bool each, in place.")
      .def_buffer([](Mask& self) {
        return buffer(self.column->valid.data(), 1, "?", self.column->valid.size());
      })
      .def("__repr__", [](const Mask& self) {
        return shown("Mask", "of " + std::string(self.column->field->name));
      });
  py::class_<ColumnObject>(
      module, "Column", py::buffer_protocol(),
      "A column: memoryview() and numpy.asarray() read it in place, as int64 or uint64; of text, "
      "int32 codes of `dictionary`. Missing values are 0 there.")
      .def_buffer(&values_buffer)
      .def("__len__", [](const ColumnObject& self) { return self.column->size(); })
      .def("__repr__",
           [](const ColumnObject& self) {
             return shown("Column", self.column->field->name + std::string(": ") +
                                        std::to_string(self.column->size()) + " of " +
                                        type_name(self.column->field->kind));
           })
      .def("__getitem__", &value_at, py::arg("index"))
      .def_property_readonly(
          "name", [](const ColumnObject& self) { return self.column->field->name; }, "The field.")
      .def_property_readonly(
          "type", [](const ColumnObject& self) { return type_name(self.column->field->kind); },
          "\"int64\", \"uint64\" or \"text\".")
      .def_property_readonly(
          "null_count", [](const ColumnObject& self) { return self.column->nulls; },
          "The number of samples that do not have the field.")
      .def_property_readonly("valid", &mask_of, "Which values there are; None: all.")
      .def_property_readonly("dictionary", &dictionary_of,
                             "The texts that codes stand for; None for numbers.");
}

}  // namespace

void add_columns(py::module_& module) {
  module.attr("FIELDS") = py::tuple(py::cast(field_names()));
  add_column(module);
  py::class_<BatchObject>(module, "Batch", "Columns of the same samples, by name.")
      .def("__len__", [](const BatchObject& self) { return self.batch->rows; })
      .def("__repr__",
           [](const BatchObject& self) {
             std::string about = std::to_string(self.batch->rows) + " samples:";
             for (const std::string& name : names_of(*self.batch)) about += " " + name;
             return shown("Batch", about);
           })
      .def(
          "__getitem__",
          [](const BatchObject& self, const std::string& name) {
            return column_of(self.batch, name);
          },
          py::arg("name"))
      .def_property_readonly(
          "names", [](const BatchObject& self) { return names_of(*self.batch); }, "The fields.")
      .def(
          "to_pandas",
          [](py::object self) {
            return py::module_::import("evname._frames").attr("to_pandas")(self);
          },
          "A pandas.DataFrame that reads the columns in place; text is categorical, and columns "
          "with missing values "
          "are nullable integers.")
      .def("__arrow_c_schema__", [](const BatchObject& self) { return arrow_schema(*self.batch); })
      .def(
          "__arrow_c_array__",
          [](const BatchObject& self, const py::object&) { return arrow_array(self.batch); },
          py::arg("requested_schema") = py::none());
  py::class_<Batches, std::shared_ptr<Batches>>(
      module, "Batches",
      "A pass over samples: an iterator of Batch, and a stream of Arrow. A stream does not warn: "
      "see `warnings`.")
      .def(py::init<Recording, const std::vector<std::string>&, std::size_t, bool, bool,
                    py::object>(),
           py::arg("recording"), py::arg("fields"), py::arg("size"), py::arg("file_order"),
           py::arg("salvage"), py::arg("progress") = py::none())
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &next_of)
      .def("_read_all", &read_all)
      .def("__repr__",
           [](const Batches& self) {
             return shown("Batches",
                          std::to_string(self.pass()->tally().samples) + " samples read");
           })
      .def_property_readonly(
          "warnings", [](const Batches& self) { return self.pass()->warnings(); },
          "Descriptions of the faults of the records. All are there only at the end of the pass.")
      .def("__arrow_c_schema__", [](const Batches& self) { return arrow_schema(*self.empty()); })
      .def(
          "__arrow_c_stream__",
          [](const std::shared_ptr<Batches>& self, const py::object&) {
            return arrow_stream(self);
          },
          py::arg("requested_schema") = py::none());
}

}  // namespace evname_python
