// Recordings for tests that bring their program.

/** A recording of samples at `ips` of a process that has mapped a file as its program headers say (perf.data-file-format.txt). */
export function recordingAt(path, segments, ips) {
  const record = (type, misc, body) => {
    const out = Buffer.alloc(8 + body.length);
    out.writeUInt32LE(type), out.writeUInt16LE(misc, 4), out.writeUInt16LE(out.length, 6);
    body.copy(out, 8);
    return out;
  };
  const words = (...list) => Buffer.from(BigUint64Array.from(list, BigInt).buffer);
  const task = Buffer.from(Int32Array.of(1, 1).buffer), name = Buffer.alloc(Math.ceil((path.length + 1) / 8) * 8);
  name.write(path);
  const maps = segments.map(({ address, size, offset }) => record(1, 2, Buffer.concat([task, words(address, size, offset), name])));
  const samples = ips.map((ip) => record(9, 2, Buffer.concat([words(ip), task])));
  const data = Buffer.concat([...maps, ...samples]);
  const attr = Buffer.alloc(136), header = Buffer.alloc(104), at = 104 + 136 + 16;
  attr.writeUInt32LE(1), attr.writeUInt32LE(136, 4), attr.writeBigUInt64LE(1n, 16), attr.writeBigUInt64LE(3n, 24);
  header.write('PERFILE2'), words(104, 152, 104, 152, at, data.length).copy(header, 8);
  return Buffer.concat([header, attr, words(at, 0), data]);
}

/** The executable segments of an ELF file of 64 bits, little-endian. */
export function segmentsOf(file) {
  const word = (at) => Number(file.readBigUInt64LE(at)), found = [];
  for (let i = 0; i < file.readUInt16LE(56); ++i) {
    const at = word(32) + 56 * i;
    if (file.readUInt32LE(at) === 1 && file.readUInt32LE(at + 4) & 1) found.push({ offset: word(at + 8), address: word(at + 16) + 0x10000000, size: word(at + 32) });
  }
  return found;
}
