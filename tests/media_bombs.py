"""Small files that are large once they are decoded."""

import struct
import zlib


def gif(side: int, num_frames: int, comment: bytes = b"x") -> bytes:
    """So many frames of one pixel, each drawn on a canvas of `side` x `side`."""
    head = b"GIF89a" + struct.pack("<HHBBB", side, side, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    pause = b"\x21\xf9\x04\0" + struct.pack("<H", 3) + b"\0\0"
    pixel = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return head + (pause + pixel) * num_frames + b"\x21\xfe" + bytes([len(comment)]) + comment + b"\0;"


def png(side: int, depth: int, colours: int, channels: int, comment: bytes = b"x") -> bytes:
    """Zeros; `colours` is 0 for grey and 6 for RGBA."""
    header = struct.pack(">IIBBBBB", side, side, depth, colours, 0, 0, 0)
    row = bytes(1 + side * channels * depth // 8)
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    chunks = ((b"IHDR", header), (b"tEXt", b"Comment\0" + comment), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def mp4(num_samples: int) -> bytes:
    """A track of 16x16 pixels whose samples have one byte each."""
    scale = 10**8
    matrix = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    times = struct.pack(">IIIII", 0, 0, 0, scale, num_samples)
    mvhd = _box(b"mvhd", times, struct.pack(">IHHII", 0x10000, 0x100, 0, 0, 0), matrix, bytes(24), b"\0\0\0\2")
    ids = struct.pack(">IIIIII", 7, 0, 0, 1, 0, num_samples)
    tkhd = _box(b"tkhd", ids, bytes(8), bytes(8), matrix, struct.pack(">II", 16 << 16, 16 << 16))
    mdhd = _box(b"mdhd", times, struct.pack(">HH", 0x55C4, 0))
    hdlr = _box(b"hdlr", bytes(8), b"vide", bytes(12), b"v\0")
    shape = struct.pack(">HHIIIH", 16, 16, 0x480000, 0x480000, 0, 1)
    entry = _box(b"raw ", bytes(6), b"\0\1", bytes(16), shape, bytes(32), struct.pack(">Hh", 24, -1))
    tables = (
        _box(b"stsd", struct.pack(">II", 0, 1), entry),
        _box(b"stts", struct.pack(">IIII", 0, 1, num_samples, 1)),
        _box(b"stsc", struct.pack(">IIIII", 0, 1, 1, num_samples, 1)),
        _box(b"stsz", struct.pack(">III", 0, 1, num_samples)),
    )
    kind = _box(b"ftyp", b"isom\0\0\2\0isomiso2mp41")

    def moov(offset: int) -> bytes:
        table = _box(b"stbl", *tables, _box(b"stco", struct.pack(">III", 0, 1, offset)))
        source = _box(b"dinf", _box(b"dref", struct.pack(">II", 0, 1), _box(b"url ", b"\0\0\0\1")))
        inner = _box(b"minf", _box(b"vmhd", struct.pack(">IQ", 1, 0)), source, table)
        return _box(b"moov", mvhd, _box(b"trak", tkhd, _box(b"mdia", mdhd, hdlr, inner)))

    return kind + moov(len(kind) + len(moov(0)) + 8) + _box(b"mdat", bytes(num_samples))


def _box(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body)) + kind + body
