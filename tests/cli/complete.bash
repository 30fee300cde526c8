# What bash would offer for each line: complete.bash COMPLETION HEDDLE <LINES, prints one line each. The cursor is at the
# end of the line; words are broken at '=' as bash does.
. "$1"
heddle=$2
while IFS= read -r line; do
	read -ra COMP_WORDS <<<"${line//=/ = }"
	[[ $line != *' ' ]] || COMP_WORDS+=("")
	COMP_WORDS[0]=$heddle
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_heddle
	echo "${COMPREPLY[*]}"
done
