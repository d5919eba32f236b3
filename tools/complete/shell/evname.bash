# Completion of evname for bash.
_evname() {
  local self=${1/#\~/$HOME}
  local -a answer
  mapfile -t answer < <("$self" complete bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  COMPREPLY=("${answer[@]:1}")
  case ${answer[0]} in
    list) compopt -o nospace ;;
    files) compopt -o default ;;
    dirs) compopt -o dirnames ;;
  esac 2>/dev/null
}
complete -F _evname evname
