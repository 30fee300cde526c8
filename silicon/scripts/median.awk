# Tables of the same launches, columns from the seventh on: their medians over the tables.
BEGIN { FS = OFS = "," }
FNR == 1 {
	header = $0
	next
}
{
	key = $1 OFS $2 OFS $3 OFS $4 OFS $5 OFS $6
	if (!(key in runs))
		order[++count] = key
	runs[key]++
	for (i = 7; i <= NF; i++)
		value[key, i, runs[key]] = $i
	width = NF
}
function median(key, i, n,   a, j, k, t) {
	for (j = 1; j <= n; j++)
		a[j] = value[key, i, j] + 0
	for (j = 2; j <= n; j++)
		for (k = j; k > 1 && a[k] < a[k - 1]; k--) {
			t = a[k]
			a[k] = a[k - 1]
			a[k - 1] = t
		}
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}
END {
	print header ",runs"
	for (j = 1; j <= count; j++) {
		line = order[j]
		for (i = 7; i <= width; i++)
			line = line OFS sprintf("%.0f", median(order[j], i, runs[order[j]]))
		print line, runs[order[j]]
	}
}
