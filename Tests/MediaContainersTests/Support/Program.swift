import Foundation

/// Another program, run to its end.
struct Program {
    var path: String
    var arguments: [String]

    /// What it printed, and whether it succeeded.
    func run() throws -> (output: [UInt8], messages: String, succeeded: Bool) {
        #if os(macOS) || os(Linux)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            let output = Pipe()
            let errors = Pipe()
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            let text = output.fileHandleForReading.readDataToEndOfFile()
            let messages = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return ([UInt8](text), messages, process.terminationStatus == 0)
        #else
            return ([], "programs can't be started here", false)
        #endif
    }
}
