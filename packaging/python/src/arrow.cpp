// Batches by the Arrow C data interface and the Arrow C stream interface
// (https://arrow.apache.org/docs/format/CDataInterface.html): buffers belong to the batch.

#include <cerrno>
#include <new>

#include "columns.hpp"

extern "C" {
// As that specification lays them out.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}

namespace evname_python {
namespace {

constexpr std::int64_t nullable = 2;

// What a schema or an array points to; deleted by its release, which may come after its children
// were moved away.
template <class Struct>
struct Owned {
  SharedBatch batch;
  std::vector<const void*> buffers;
  std::vector<std::uint8_t> bits;     // of validity
  std::vector<std::int32_t> offsets;  // of a dictionary's texts
  std::string texts;
  std::vector<std::unique_ptr<Struct>> children;
  std::vector<Struct*> child_pointers;
  std::unique_ptr<Struct> dictionary;
};

template <class Struct>
void release(Struct* object) {
  auto* owned = static_cast<Owned<Struct>*>(object->private_data);
  for (Struct* child : owned->child_pointers)
    if (child->release != nullptr) child->release(child);
  if (owned->dictionary != nullptr && owned->dictionary->release != nullptr)
    owned->dictionary->release(owned->dictionary.get());
  delete owned;
  object->release = nullptr;
}

template <class Struct>
void finish(Struct& object, std::unique_ptr<Owned<Struct>> owned) {
  for (const auto& child : owned->children) owned->child_pointers.push_back(child.get());
  object.n_children = static_cast<std::int64_t>(owned->children.size());
  object.children = owned->child_pointers.empty() ? nullptr : owned->child_pointers.data();
  object.dictionary = owned->dictionary.get();
  object.release = release<Struct>;
  object.private_data = owned.release();
}

ArrowSchema schema_of(const char* format, const char* name, std::int64_t flags) {
  ArrowSchema schema{};
  schema.format = format;
  schema.name = name;
  schema.flags = flags;
  return schema;
}

void fill_schema(const Column& column, ArrowSchema& out) {
  auto owned = std::make_unique<Owned<ArrowSchema>>();
  const Kind kind = column.field->kind;
  out = schema_of(kind == Kind::text    ? "i"
                  : kind == Kind::int64 ? "l"
                                        : "L",
                  column.field->name, column.field->needs != 0 ? nullable : 0);
  if (kind == Kind::text) {
    owned->dictionary = std::make_unique<ArrowSchema>(schema_of("u", "", 0));
    finish(*owned->dictionary, std::make_unique<Owned<ArrowSchema>>());
  }
  finish(out, std::move(owned));
}

void fill_schema(const Batch& batch, ArrowSchema& out) {
  auto owned = std::make_unique<Owned<ArrowSchema>>();
  out = schema_of("+s", "", 0);
  for (const Column& column : batch.columns)
    fill_schema(column, *owned->children.emplace_back(std::make_unique<ArrowSchema>()));
  finish(out, std::move(owned));
}

// An array whose buffers belong to `owned`.
void fill_array(ArrowArray& out, std::size_t length, std::size_t nulls,
                std::unique_ptr<Owned<ArrowArray>> owned) {
  out = ArrowArray{};
  out.length = static_cast<std::int64_t>(length);
  out.null_count = static_cast<std::int64_t>(nulls);
  out.n_buffers = static_cast<std::int64_t>(owned->buffers.size());
  out.buffers = owned->buffers.data();
  finish(out, std::move(owned));
}

void fill_dictionary(const Dictionary& dictionary, ArrowArray& out) {
  auto owned = std::make_unique<Owned<ArrowArray>>();
  owned->offsets.push_back(0);
  for (const std::string& value : dictionary.values) {
    owned->texts += value;
    owned->offsets.push_back(static_cast<std::int32_t>(owned->texts.size()));
  }
  owned->buffers = {nullptr, owned->offsets.data(), owned->texts.data()};
  fill_array(out, dictionary.values.size(), 0, std::move(owned));
}

void fill_array(const SharedBatch& batch, const Column& column, ArrowArray& out) {
  auto owned = std::make_unique<Owned<ArrowArray>>();
  owned->batch = batch;
  if (column.nulls != 0) {
    owned->bits.resize((column.size() + 7) / 8);
    for (std::size_t i = 0; i < column.size(); ++i)
      owned->bits[i / 8] |= column.valid[i] << (i % 8);
  }
  owned->buffers = {column.nulls != 0 ? owned->bits.data() : nullptr, column.values()};
  if (column.dictionary != nullptr) {
    owned->dictionary = std::make_unique<ArrowArray>();
    fill_dictionary(*column.dictionary, *owned->dictionary);
  }
  fill_array(out, column.size(), column.nulls, std::move(owned));
}

void fill_array(const SharedBatch& batch, ArrowArray& out) {
  auto owned = std::make_unique<Owned<ArrowArray>>();
  owned->buffers = {nullptr};
  for (const Column& column : batch->columns)
    fill_array(batch, column, *owned->children.emplace_back(std::make_unique<ArrowArray>()));
  fill_array(out, batch->rows, 0, std::move(owned));
}

// The stream: no exception may leave it.
struct StreamState {
  std::shared_ptr<Batches> batches;
  std::string error;
};

template <class Action>
int guarded(ArrowArrayStream* stream, Action action) {
  auto& state = *static_cast<StreamState*>(stream->private_data);
  try {
    return action(state);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (const std::exception& failure) {
    state.error = failure.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return guarded(stream, [&](StreamState& state) {
    fill_schema(*state.batches->empty(), *out);
    return 0;
  });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return guarded(stream, [&](StreamState& state) {
    *out = ArrowArray{};
    if (const SharedBatch batch = state.batches->next()) {
      fill_array(batch, *out);
      return 0;
    }
    const int status = state.batches->pass()->status();
    if (status == EVNAME_OK) return 0;
    state.error = evname_status_text(status);
    return EIO;
  });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const auto& error = static_cast<StreamState*>(stream->private_data)->error;
  return error.empty() ? nullptr : error.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<StreamState*>(stream->private_data);
  stream->release = nullptr;
}

template <class Struct>
py::capsule capsule_of(std::unique_ptr<Struct> object, const char* name) {
  PyObject* capsule = PyCapsule_New(object.get(), name, [](PyObject* self) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw py::error_already_set();
  object.release();
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace

py::capsule arrow_schema(const Batch& batch) {
  auto schema = std::make_unique<ArrowSchema>();
  fill_schema(batch, *schema);
  return capsule_of(std::move(schema), "arrow_schema");
}

py::tuple arrow_array(const SharedBatch& batch) {
  auto array = std::make_unique<ArrowArray>();
  fill_array(batch, *array);
  return py::make_tuple(arrow_schema(*batch), capsule_of(std::move(array), "arrow_array"));
}

py::capsule arrow_stream(std::shared_ptr<Batches> batches) {
  auto stream = std::make_unique<ArrowArrayStream>();
  *stream = {get_schema, get_next, get_last_error, release_stream,
             new StreamState{std::move(batches), {}}};
  return capsule_of(std::move(stream), "arrow_array_stream");
}

}  // namespace evname_python
