/*
 * A heart cell's membrane: voltage, six gates and calcium, after Luo and Rudy (Circulation Research
 * 1991), f32. The kernel and the CPU compile these same lines, so both do the same operations in
 * the same order. Includer has fmaf and rintf, and says what a function of its side looks like with
 * CELL.
 */
#ifndef WORKLOADS_MYOCYTE_EQUATIONS_H
#define WORKLOADS_MYOCYTE_EQUATIONS_H

enum { VOLTAGE, GATE_M, GATE_H, GATE_J, GATE_D, GATE_F, GATE_X, CALCIUM, VARIABLES };
enum { STIMULUS, SODIUM, SLOW_INWARD, POTASSIUM, PLATEAU, BACKGROUND, PARAMETERS };

/* e^x to about 7 digits, of x from -80 to 80. */
CELL float cell_exp(float x)
{
    x = x < -80 ? -80 : x > 80 ? 80 : x;
    float n = rintf(x * 1.44269504f), r = fmaf(n, -0.693145752f, x), sum = 1.0f / 5040;
    r = fmaf(n, -1.42860677e-6f, r);
    sum = fmaf(sum, r, 1.0f / 720);
    sum = fmaf(sum, r, 1.0f / 120);
    sum = fmaf(sum, r, 1.0f / 24);
    sum = fmaf(sum, r, 1.0f / 6);
    sum = fmaf(sum, r, 0.5f);
    sum = fmaf(sum, r, 1.0f);
    sum = fmaf(sum, r, 1.0f);
    union {
        int bits;
        float value;
    } scale;
    scale.bits = ((int)n + 127) << 23;
    return sum * scale.value;
}

/* ln x of a positive number, to about 6 digits. */
CELL float cell_log(float x)
{
    union {
        float value;
        int bits;
    } u;
    u.value = x;
    int n = (u.bits >> 23) - 127;
    u.bits = (u.bits & 0x7fffff) | 0x3f800000; /* 1 to 2 */
    float t = (u.value - 1) / (u.value + 1), square = t * t, sum = 1.0f / 9;
    sum = fmaf(sum, square, 1.0f / 7);
    sum = fmaf(sum, square, 1.0f / 5);
    sum = fmaf(sum, square, 1.0f / 3);
    sum = fmaf(sum, square, 1.0f);
    return fmaf((float)n, 0.69314718f, 2 * t * sum);
}

/* How fast a gate opens (a) and closes (b) decides where it goes. */
CELL float gate_change(float gate, float a, float b)
{
    return a * (1 - gate) - b * gate;
}

/* Rates of change of all variables. */
CELL void cell_rates(const float *y, const float *p, float *change)
{
    float v = y[VOLTAGE], up = v + 47.13f;
    float a = up > -0.01f && up < 0.01f ? 3.2f : 0.32f * up / (1 - cell_exp(-0.1f * up));
    change[GATE_M] = gate_change(y[GATE_M], a, 0.08f * cell_exp(v / -11.0f));
    bool low = v < -40;
    float ah = low ? 0.135f * cell_exp((80 + v) / -6.8f) : 0;
    float bh = low ? fmaf(3.56f, cell_exp(0.079f * v), 310000 * cell_exp(0.35f * v))
                   : 1 / (0.13f * (1 + cell_exp((v + 10.66f) / -11.1f)));
    change[GATE_H] = gate_change(y[GATE_H], ah, bh);
    float aj = low ? fmaf(-127140, cell_exp(0.2444f * v), -3.474e-5f * cell_exp(-0.04391f * v)) *
                         (v + 37.78f) / (1 + cell_exp(0.311f * (v + 79.23f)))
                   : 0;
    float bj = low ? 0.1212f * cell_exp(-0.01052f * v) / (1 + cell_exp(-0.1378f * (v + 40.14f)))
                   : 0.3f * cell_exp(-2.535e-7f * v) / (1 + cell_exp(-0.1f * (v + 32)));
    change[GATE_J] = gate_change(y[GATE_J], aj, bj);
    change[GATE_D] = gate_change(
        y[GATE_D], 0.095f * cell_exp(-0.01f * (v - 5)) / (1 + cell_exp(-0.072f * (v - 5))),
        0.07f * cell_exp(-0.017f * (v + 44)) / (1 + cell_exp(0.05f * (v + 44))));
    change[GATE_F] = gate_change(
        y[GATE_F], 0.012f * cell_exp(-0.008f * (v + 28)) / (1 + cell_exp(0.15f * (v + 28))),
        0.0065f * cell_exp(-0.02f * (v + 30)) / (1 + cell_exp(-0.2f * (v + 30))));
    change[GATE_X] = gate_change(
        y[GATE_X], 0.0005f * cell_exp(0.083f * (v + 50)) / (1 + cell_exp(0.057f * (v + 50))),
        0.0013f * cell_exp(-0.06f * (v + 20)) / (1 + cell_exp(-0.04f * (v + 20))));
    float reversal = 7.7f - 13.0287f * cell_log(y[CALCIUM]);
    float slow = p[SLOW_INWARD] * y[GATE_D] * y[GATE_F] * (v - reversal);
    change[CALCIUM] = fmaf(-1e-4f, slow, 0.07f * (1e-4f - y[CALCIUM]));
    float m = y[GATE_M];
    float sum = p[SODIUM] * m * m * m * y[GATE_H] * y[GATE_J] * (v - 54.4f) + slow;
    sum = fmaf(p[POTASSIUM] * y[GATE_X], v + 77, sum);
    sum += p[PLATEAU] * (v + 87.95f) / (1 + cell_exp((7.488f - v) / 5.98f));
    sum = fmaf(p[BACKGROUND], v + 59.87f, sum);
    change[VOLTAGE] = p[STIMULUS] - sum;
}

#endif
