import Foundation

/// A number for each thread, initially 0, in thread-specific storage.
struct ThreadNumber: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "pthread_key_create: \(status)")
        self.key = key
    }

    var current: Int {
        get { Int(bitPattern: pthread_getspecific(key)) }
        nonmutating set {
            let status = pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: newValue))
            precondition(status == 0, "pthread_setspecific: \(status)")
        }
    }
}
