import Foundation
import MediaCache

/// A file of URLs, one a line. Empty lines and those that begin with `#` are passed over.
enum URLFile {
    /// The URLs in a file; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure``, naming the file, and the line that is none.
    static func read(_ path: String) throws -> [ResourceURL] {
        let data: Data
        do {
            data =
                path == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure(.failed, "--input-file: “\(path)” can't be read")
        }
        do {
            return try parse(String(decoding: data, as: UTF8.self))
        } catch let error as ArgumentTextError {
            throw CommandFailure(.usage, "--input-file \(path): \(error)")
        }
    }

    /// The URLs in a file's text.
    ///
    /// - Throws: ``ArgumentTextError``, naming the line that is none.
    static func parse(_ text: String) throws -> [ResourceURL] {
        var urls: [ResourceURL] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
            do {
                urls.append(try URLArgument.parse(trimmed))
            } catch let error as ArgumentTextError {
                throw ArgumentTextError("line \(index + 1): \(error)")
            }
        }
        return urls
    }
}
