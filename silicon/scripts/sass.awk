# Static machine instructions of every kernel, by opcode, with modifiers if -v modifiers=1:
# workload,kernel,opcode,count. From the text of nvdisasm -c.

/^\.text\./ || /^\/\/-+ \.text\./ || /\.section[ \t]+\.text\./ {
	line = $0
	sub(/.*\.text\./, "", line)
	sub(/[^A-Za-z0-9_$].*/, "", line)
	kernel = line
}
# /*0a10*/  @!P0 LDG.E R1, [R2.64] ;
kernel != "" && /^[ \t]+\/\*[0-9a-f]+\*\// {
	line = $0
	sub(/^[ \t]+\/\*[0-9a-f]+\*\/[ \t]*/, "", line)
	sub(/^\{[ \t]*/, "", line)
	sub(/^@!?U?P[0-9T]+[ \t]+/, "", line)
	sub(/[ \t;].*/, "", line)
	split(line, part, modifiers ? " " : ".")
	if (part[1] != "")
		count[kernel "," part[1]]++
}
END {
	for (key in count)
		print workload "," key "," count[key]
}
