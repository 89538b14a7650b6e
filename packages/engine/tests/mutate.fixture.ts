import type { SeededRandom } from '../src/testing/seeded-random.ts';

const INTERESTING = [
  0x00, 0x01, 0x1b, 0x3b, 0x5f, 0x7f, 0x80, 0x9b, 0x9f, 0xa0, 0xbb, 0xbf, 0xd8, 0xf9, 0xfb, 0xff,
];

/** Returns valid bytes with a few changes. Sometimes returns noise instead. */
export function mutate(valid: Uint8Array, random: SeededRandom): Uint8Array {
  if (random.below(20) === 0) return random.bytes(random.below(200));
  let bytes = Array.from(valid);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(bytes.length + 1);
    const length = random.below(9);
    switch (random.below(6)) {
      case 0:
        bytes[at] = random.below(256);
        break;
      case 1:
        bytes[at] = INTERESTING[random.below(INTERESTING.length)] ?? 0;
        break;
      case 2:
        bytes = bytes.slice(0, at);
        break;
      case 3:
        bytes.splice(at, length);
        break;
      case 4:
        bytes.splice(at, 0, ...random.bytes(length));
        break;
      case 5:
        bytes.splice(at, 0, ...bytes.slice(at, at + 40));
        break;
    }
  }
  return Uint8Array.from(bytes);
}
