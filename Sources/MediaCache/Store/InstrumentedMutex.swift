// On Linux, the contended path of `Synchronization.Mutex` is in a library that isn't instrumented, so ThreadSanitizer
// doesn't see the lock and reports false races. In builds for ThreadSanitizer (`make test-tsan`), this type shadows it.
// It uses a pthread mutex, which ThreadSanitizer recognizes. Other modules have symbolic links to this file.

#if MEDIACACHE_TSAN
    import Foundation

    final class Mutex<Value: ~Copyable>: @unchecked Sendable {
        private let value: UnsafeMutablePointer<Value>
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        init(_ initialValue: consuming sending Value) {
            value = .allocate(capacity: 1)
            value.initialize(to: initialValue)
            mutex = .allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            let status = pthread_mutex_init(mutex, nil)
            precondition(status == 0, "pthread_mutex_init: \(status)")
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }

        func withLock<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }

        func withLockIfAvailable<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result? {
            guard pthread_mutex_trylock(mutex) == 0 else { return nil }
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#endif
