import { availableParallelism } from 'node:os'
import { type Algorithm, hash, parseOptions, verify } from '@node-rs/argon2'
import { hashQueue } from './hash-queue.ts'

/** argon2id parameters. Raised values take effect at the next sign-in of each user. */
const argon2id: Algorithm.Argon2id = 2 // a `const enum` has no value at run time here
const cost = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hash of a random password. The password of an unknown user is compared with it, so that the check takes the same
 * time.
 */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$ncUHyFdh8AIN8ugIvWo4pQ$hgBAvBJGVwytaTfNl42ZvO/glR7pr6eZLuQr3UW7rSA'

/** At most half of the cores, and half of the four threads that Node uses for files and DNS. */
const atOnce = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)))

/** One queue for the process, because the threads are shared. A full queue takes about a second. */
const inQueue = hashQueue({ atOnce, waiting: 64 })

/** Hashes a password. @throws DomainError unavailable when too many wait */
export const hashPassword = (password: string): Promise<string> =>
  inQueue(() => hash(password, cost))

/** Verifies a password; false also for a malformed stored hash. @throws DomainError unavailable when too many wait */
export const verifyPassword = (stored: string, password: string): Promise<boolean> =>
  inQueue(() => verify(stored, password).catch(() => false))

/** Returns whether the hash has parameters other than the current ones. */
export function needsRehash(stored: string): boolean {
  const { algorithm, memoryCost, timeCost, parallelism } = parseOptions(stored)
  return (
    algorithm !== cost.algorithm ||
    memoryCost !== cost.memoryCost ||
    timeCost !== cost.timeCost ||
    parallelism !== cost.parallelism
  )
}
