# Two tables of kernel launches: the second, with the columns that the first has too from the first.
BEGIN { FS = OFS = "," }
FNR == 1 {
	table++
	for (i = 7; i <= NF; i++)
		if (table == 1)
			name[i] = $i
		else
			column[$i] = i
	if (table == 2)
		print
	next
}
{ key = $1 OFS $2 OFS $3 OFS $4 }
table == 1 {
	for (i = 7; i <= NF; i++)
		value[key, name[i]] = $i
	next
}
{
	for (i in name)
		if (name[i] in column && (key, name[i]) in value)
			$column[name[i]] = value[key, name[i]]
	print
}
