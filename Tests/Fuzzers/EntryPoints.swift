import Foundation

/// The target that the environment variable `MEDIACACHE_FUZZER` names.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["MEDIACACHE_FUZZER"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("MEDIACACHE_FUZZER is “\(name)”; set it to one of \(FuzzTarget.all.map(\.name))")
        exit(2)
    }
    return target
}()

/// Writes the target's seeds to the folder `MEDIACACHE_FUZZ_SEEDS` and ends the process, if the variable is set.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer, _: UnsafeMutableRawPointer) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["MEDIACACHE_FUZZ_SEEDS"] else { return 0 }
    do {
        for (index, seed) in try target.seeds().enumerated() {
            try Data(seed).write(to: URL(filePath: folder).appending(path: "\(target.name)-\(index)"))
        }
    } catch {
        print("the seeds of \(target.name) can't be written to \(folder): \(error)")
        exit(1)
    }
    exit(0)
}

/// Checks an input of libFuzzer. Ends the process if it violates a property.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    // The copy has its own allocation, so that AddressSanitizer detects reads past its end.
    if let problem = target.check(Array(UnsafeRawBufferPointer(start: start, count: count))) { fatalError(problem) }
    return 0
}
