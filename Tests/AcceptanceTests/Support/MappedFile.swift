import Foundation

/// A file of an origin mapped into memory, for comparison.
final class MappedFile: Sendable {
    let path: String
    let count: Int
    /// The address of the mapping, stored as a number because pointers aren't `Sendable`. The mapping is read-only and
    /// exists as long as this object.
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

    func matches(_ buffer: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard offset >= 0, offset + buffer.count <= count, let mine = UnsafeRawPointer(bitPattern: address) else {
            return false
        }
        guard let theirs = buffer.baseAddress, buffer.count > 0 else { return true }
        return memcmp(mine + offset, theirs, buffer.count) == 0
    }
}
