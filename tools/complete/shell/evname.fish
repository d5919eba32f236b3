# Completion of evname for fish.
function __evname_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l self (string replace -r '^~' $HOME -- $words[1])
    set -l answer ($self complete fish -- $words (string trim -l -c '\'"' -- $typed) 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path $typed
        case dirs
            __fish_complete_directories $typed
        case '*'
            printf '%s\n' $answer[2..-1]
    end
end
complete -c evname -f -a '(__evname_complete)'
