import Foundation

/// A file mapped into memory, to compare with: the truth about what an origin serves.
final class MappedFile: Sendable {
    let path: String
    let count: Int
    /// Where the mapping begins. A number, since pointers aren't `Sendable`; the mapping is read-only and lives as long
    /// as this object.
    private let address: UInt

    init(_ path: String) throws {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw HarnessError("\(path) can't be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let length = Int(lseek(descriptor, 0, SEEK_END))
        guard length > 0, let base = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0), base != MAP_FAILED else {
            throw HarnessError("\(path) can't be mapped")
        }
        address = UInt(bitPattern: base)
        count = length
    }

    deinit { munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

    /// Whether `buffer` is what lies at `offset`.
    func matches(_ buffer: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard offset >= 0, offset + buffer.count <= count, let mine = UnsafeRawPointer(bitPattern: address) else {
            return false
        }
        guard let theirs = buffer.baseAddress, buffer.count > 0 else { return true }
        return memcmp(mine + offset, theirs, buffer.count) == 0
    }
}
