# Sums of executed warp instructions by kernel and opcode over all launches of a program, from
# Nsight Compute's raw CSV with `--print-metric-instances details`.

function split_csv(line, field,    n, at, quoted, c) {
	n = 1
	field[1] = ""
	quoted = 0
	for (at = 1; at <= length(line); at++) {
		c = substr(line, at, 1)
		if (c == "\"")
			quoted = !quoted
		else if (c == "," && !quoted)
			field[++n] = ""
		else
			field[n] = field[n] c
	}
	return n
}

!found && /"Kernel Name"/ {
	n = split_csv($0, field)
	for (i = 1; i <= n; i++)
		place[field[i]] = i
	found = 1
	next
}
found && /^"[0-9]/ {
	split_csv($0, field)
	kernel = field[place["Kernel Name"]]
	if (!(kernel in launches))
		order[++kernels] = kernel
	launches[kernel]++
	list = field[place["sass__inst_executed_per_opcode"]]
	if (!sub(/^[^(]*\(/, "", list)) # 96 (LDG: 32; STG: 64)
		next
	sub(/\)$/, "", list)
	count = split(list, item, "; ")
	for (i = 1; i <= count; i++) {
		opcode = value = item[i]
		sub(/[^A-Za-z0-9_.].*/, "", opcode)
		sub(/.*[^0-9,]/, "", value)
		gsub(/,/, "", value)
		if (!((kernel, opcode) in sum))
			opcodes[kernel] = opcodes[kernel] " " opcode
		sum[kernel, opcode] += value
	}
}
END {
	for (k = 1; k <= kernels; k++) {
		count = split(opcodes[order[k]], item, " ")
		for (i = 1; i <= count; i++)
			printf "%s,%s,%s,%d,%s,%d\n", workload, size, order[k], launches[order[k]], item[i],
				sum[order[k], item[i]]
	}
}
