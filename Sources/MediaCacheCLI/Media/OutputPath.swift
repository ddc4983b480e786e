import Foundation
import MediaCache
import MediaCacheAPI

/// The path of an output: that of the argument, or of a file in it if the argument is a folder.
enum OutputPath {
    static func resolve(_ argument: String, for url: ResourceURL) -> String {
        resolve(argument, name: fileName(for: url))
    }

    static func resolve(_ argument: String, title: String, extension suffix: String) -> String {
        let name = safeName(title.last == "." ? String(title.dropLast()) : title)
        return resolve(argument, name: "\(name.isEmpty ? "stream" : name).\(suffix)")
    }

    private static func resolve(_ argument: String, name: String) -> String {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder)
        guard argument.hasSuffix("/") || (exists && isFolder.boolValue) else { return argument }
        return "\(argument.hasSuffix("/") ? argument : argument + "/")\(name)"
    }

    static func resolve(_ argument: String, for input: InputArgument) -> String {
        switch input {
        case .url(let url): return resolve(argument, for: url)
        case .item(.id(let id)): return resolve(argument, title: "\(id)", extension: "mp4")
        case .item(.asset(let name)): return resolve(argument, title: name, extension: "mp4")
        case .item(.url(let url)): return resolve(argument, for: url)
        case .file(let path): return resolve(argument, name: URL(fileURLWithPath: path).lastPathComponent)
        case .standardInput: return argument
        }
    }

    /// Returns the last component of a URL's path, or otherwise the host, as a safe file name.
    static func fileName(for url: ResourceURL) -> String {
        let last = url.path.split(separator: "/").last.map(String.init) ?? ""
        let decoded = last.removingPercentEncoding ?? last
        let name = safeName(decoded)
        return name.isEmpty ? url.host.filter { $0 != "[" && $0 != "]" && $0 != ":" } : name
    }

    /// Returns a name of at most 200 bytes, without path separators, control characters or leading dots.
    static func safeName(_ text: String) -> String {
        let name = Table.printable(text).map { $0 == "/" || $0 == "\\" || $0 == "?" ? "_" : $0 }
        // Most file systems limit names to 255 bytes. The end is preserved, since it contains the extension.
        var shortened = name.drop { $0 == "." }
        while String(shortened).utf8.count > 200 { shortened = shortened.dropFirst().drop { $0 == "." } }
        return String(shortened)
    }
}
