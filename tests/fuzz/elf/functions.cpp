namespace room {
template <class T>
struct Box {
  T value;
  T take(int n) const {
    for (int i = 0; i < n; ++i) {
      if (i == 3) return more(value);
    }
    return value;
  }
  static T more(T v);
};
}  // namespace room
template <class T>
T room::Box<T>::more(T v) {
  return v * 3;
}
int caller(int n) {
  room::Box<int> b{n};
  return b.take(n) + [&] { return n + 1; }();
}
