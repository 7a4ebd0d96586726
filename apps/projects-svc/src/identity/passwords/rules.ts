import { type DomainError, invalidInput } from '@reticle/kit/call/errors'
import { commonPasswords } from './common-passwords.ts'

/** Rules for passwords that users choose. The REST schema limits the length. */

const shortest = 8
/** Similarity from which a password is too close to a field of its user; 1: the same letters. */
const tooSimilar = 0.7

/** Fields of the user that the password is compared with. */
export interface PasswordOwner {
  username: string
  email: string
  first_name: string
  last_name: string
}

const shownAs: Readonly<Record<keyof PasswordOwner, string>> = {
  username: 'username',
  email: 'email address',
  first_name: 'first name',
  last_name: 'last name',
}

/** Returns all faults of a password, in the texts that existing clients know. */
export function passwordProblems(password: string, owner: PasswordOwner): string[] {
  const problems: string[] = []
  const similar = similarTo(password, owner)
  if (similar) problems.push(`The password is too similar to the ${similar}.`)
  if (password.length < shortest)
    problems.push(`This password is too short. It must contain at least ${shortest} characters.`)
  if (commonPasswords.has(password.trim().toLowerCase()))
    problems.push('This password is too common.')
  if (/^\p{Nd}+$/u.test(password)) problems.push('This password is entirely numeric.')
  return problems
}

/** Returns all faults as errors of one field. */
export function badPassword(field: string, problems: readonly string[]): DomainError {
  return invalidInput(
    problems.map((message) => ({ code: 'custom', path: [field], message, input: '' })),
  )
}

function similarTo(password: string, owner: PasswordOwner): string | undefined {
  const given = password.toLowerCase()
  const names = [
    ['username', owner.username],
    ['first_name', owner.first_name],
    ['last_name', owner.last_name],
    ['email', owner.email],
  ] as const
  const found = names.find(([, value]) =>
    partsOf(value.toLowerCase()).some((part) => isSimilar(given, part)),
  )
  return found && shownAs[found[0]]
}

/** The value and its words. */
const partsOf = (value: string) => [value, ...value.split(/[^\p{L}\p{N}_]+/u)].filter(Boolean)

/** A short word in a much longer password is not similar. */
function isSimilar(password: string, part: string): boolean {
  const isFarLonger =
    password.length >= 10 * part.length && part.length < (tooSimilar / 2) * password.length
  return !isFarLonger && likeness(password, part) >= tooSimilar
}

/** Returns the share of common letters of two texts, in any order. */
function likeness(one: string, other: string): number {
  const left = new Map<string, number>()
  for (const letter of other) left.set(letter, (left.get(letter) ?? 0) + 1)
  let shared = 0
  for (const letter of one) {
    const count = left.get(letter) ?? 0
    if (count > 0) shared++
    left.set(letter, count - 1)
  }
  return (2 * shared) / ([...one].length + [...other].length)
}
