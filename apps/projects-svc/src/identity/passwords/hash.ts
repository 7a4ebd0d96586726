import { availableParallelism } from 'node:os'
import { type Algorithm, hash, parseOptions, verify } from '@node-rs/argon2'
import { hashQueue } from './hash-queue.ts'

/** argon2id with the figures of `reliability.md` 11; raised ones take effect at each user's next sign-in. */
const argon2id: Algorithm.Argon2id = 2 // a `const enum` has no value at run time here
const cost = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Of a password that nobody knows: what an unknown user's password is compared with, so that it takes as long. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$ncUHyFdh8AIN8ugIvWo4pQ$hgBAvBJGVwytaTfNl42ZvO/glR7pr6eZLuQr3UW7rSA'

/** At most half of the cores, and of the four threads that Node reads files and resolves names with. */
const atOnce = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)))

/** One for the process, since the threads are: every hash of a password runs in it. A full queue is done in about a second. */
const inQueue = hashQueue({ atOnce, waiting: 64 })

/** @throws DomainError unavailable when too many wait */
export const hashPassword = (password: string): Promise<string> =>
  inQueue(() => hash(password, cost))

/** False too for a stored hash that is none. @throws DomainError unavailable when too many wait */
export const verifyPassword = (stored: string, password: string): Promise<boolean> =>
  inQueue(() => verify(stored, password).catch(() => false))

/** True when the hash was made with other figures than today's. */
export function needsRehash(stored: string): boolean {
  const { algorithm, memoryCost, timeCost, parallelism } = parseOptions(stored)
  return (
    algorithm !== cost.algorithm ||
    memoryCost !== cost.memoryCost ||
    timeCost !== cost.timeCost ||
    parallelism !== cost.parallelism
  )
}
