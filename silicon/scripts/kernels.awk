# One compact row per kernel launch from Nsight Compute's raw CSV.
# awk -v columns=metrics.txt -v workload=NAME -v size=SIZE [-v header=1] -f kernels.awk FILE
#
# Numbers come with thousands separators inside quotes; the row below the header holds units.

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

function number(text) {
	gsub(/,/, "", text)
	sub(/\.0+$/, "", text)
	if (text ~ /^n\/a/ || text ~ /nan/)
		return ""
	if (text ~ /\./)
		return sprintf("%.6g", text + 0)
	return text
}

function shape(text) { # (1, 2, 3) as 1x2x3
	gsub(/[() ]/, "", text)
	gsub(/,/, "x", text)
	return text
}

BEGIN {
	while ((getline line < columns) > 0) {
		if (line ~ /^#/ || line == "")
			continue
		split(line, part, " ")
		name[++count] = part[1]
		metric[count] = part[2]
	}
	if (header) {
		printf "workload,size,launch,kernel,grid,block"
		for (i = 1; i <= count; i++)
			printf ",%s", name[i]
		print ""
	}
}

{ sub(/\r$/, "") }
/^==/ || /^$/ { next }
!found && /"Kernel Name"/ {
	n = split_csv($0, field)
	for (i = 1; i <= n; i++)
		place[field[i]] = i
	found = 1
	next
}
found && !units {
	units = 1
	next
}
found && /^"[0-9]/ {
	split_csv($0, field)
	printf "%s,%s,%d,%s,%s,%s", workload, size, launch++, field[place["Kernel Name"]],
		shape(field[place["Grid Size"]]), shape(field[place["Block Size"]])
	for (i = 1; i <= count; i++)
		printf ",%s", (metric[i] in place) ? number(field[place[metric[i]]]) : ""
	print ""
}
