# Stands for perlbench (400.perlbench), run by Debian's perl: text is split into words, counted in a hash,
# rewritten by regular expressions and put together again. To meet: compute.
use strict;
use warnings;
my @words = map { join '', map { chr(97 + ($_ * 7919) % 26) } ($_ .. $_ + 3 + $_ % 5) } 1 .. 400;
my %count;
my $mails = join ' ', map { $words[$_ % @words] } 1 .. 50000;
$mails x= 100;
my ($place, $seen) = (0, 0);
for (my $round = 0;; $round++) {
    my $line = join ' ', map { $words[($round * 31 + $_ * 17) % @words] } 1 .. 60;
    $line =~ s/([aeiou])([^aeiou ])/$2$1/g;
    for my $w (split / /, $line) {
        $count{$w}++;
        $count{reverse $w} += length $w if $w =~ /^[a-m].*[n-z]$/;
    }
    %count = () if keys %count > 700;
    for (1 .. 6) {
        $seen += (substr($mails, $place, 4096) =~ tr/q//);
        $place = ($place + 4096) % (length($mails) - 4096);
    }
    my $mail = sprintf "%05d %s", $round, join ',', (sort { $a cmp $b } keys %count)[0 .. 5];
    $mail =~ tr/a-z/A-Z/;
}
