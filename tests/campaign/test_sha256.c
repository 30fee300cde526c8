#include "testing.h"

#include "campaign/sha256.h"

static void expect(const char *text, size_t repeat, const char *hex)
{
    struct sha256 h;
    char out[SHA256_HEX + 1];
    sha256_init(&h);
    for (size_t i = 0; i < repeat; i++)
        sha256_add(&h, text, strlen(text));
    sha256_end(&h, out);
    assert_string_equal(out, hex);
}

/* FIPS 180-4's own examples */
TEST(hashes_are_those_of_the_standard)
{
    UNUSED_STATE;
    expect("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(pieces_of_any_size_give_the_hash_of_the_whole)
{
    UNUSED_STATE;
    u8 data[300];
    char whole[SHA256_HEX + 1], out[SHA256_HEX + 1];
    for (u32 i = 0; i < sizeof data; i++)
        data[i] = (u8)(i * 37);
    struct sha256 h;
    sha256_init(&h);
    sha256_add(&h, data, sizeof data);
    sha256_end(&h, whole);
    for (size_t piece = 1; piece < sizeof data; piece++) {
        sha256_init(&h);
        for (size_t at = 0; at < sizeof data; at += piece)
            sha256_add(&h, data + at, piece < sizeof data - at ? piece : sizeof data - at);
        sha256_end(&h, out);
        assert_string_equal(out, whole);
    }
}

TEST(a_file_that_is_not_there_is_an_error)
{
    UNUSED_STATE;
    char out[SHA256_HEX + 1];
    struct err err = ERR_INIT;
    assert_false(sha256_file("/nowhere/at/all", out, &err));
    assert_int_equal(err.kind, ERR_INPUT);
}

RUN_TESTS(T(hashes_are_those_of_the_standard), T(pieces_of_any_size_give_the_hash_of_the_whole),
          T(a_file_that_is_not_there_is_an_error))
