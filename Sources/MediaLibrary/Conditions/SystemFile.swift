internal import Foundation

/// A file of `/proc` or `/sys`.
package enum SystemFile {
    /// Returns the whole text of a file, without white space at its ends; nil if the file can't be read.
    ///
    /// The system states no length of such a file, and returns it in several parts. Foundation's functions that read a
    /// file by its path stop after the first part, about 4 kB.
    package static func text(_ path: String) -> String? {
        guard let data = try? FileHandle(forReadingAtPath: path)?.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
