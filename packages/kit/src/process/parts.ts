import type { z } from 'zod'
import { ConfigError, type Env, readEnv } from '../config.ts'

/** Reads one part of the settings, and knows the names of its variables. @throws ConfigError */
export interface Part<T> {
  (env: Env): T
  names: readonly string[]
}

/** A part of the settings: variables by a schema, and what a program makes of them, which nobody changes any more. */
export function part<S extends z.ZodObject, T>(
  schema: S,
  read: (given: Readonly<z.output<S>>) => T,
): Part<Readonly<T>> {
  return Object.assign((env: Env) => freeze(read(readEnv(schema, env))), {
    names: Object.keys(schema.shape),
  })
}

/** With all that is in it, but bytes, which cannot be frozen. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const inner of Object.values(value)) freeze(inner)
  return Object.freeze(value)
}

/** The same part where it must be given. @param problem what is said when it is not: `NAME: needed: ...` */
export function needed<T>(one: Part<T | undefined>, problem: string): Part<T> {
  const read = (env: Env) => {
    const value = one(env)
    if (value === undefined) throw new ConfigError([problem])
    return value
  }
  return Object.assign(read, { names: one.names })
}

/** The parts a process is made of, by the names it uses them under. */
export type Parts = Record<string, Part<unknown>>
export type Read<P extends Parts> = { [K in keyof P]: ReturnType<P[K]> }

/**
 * Reads all parts of a process before anything is started.
 *
 * @throws ConfigError that names the bad variables of all parts at once
 */
export function readParts<P extends Parts>(parts: P, env: Env): Read<P> {
  const problems: string[] = []
  const read = Object.entries(parts).map(([name, one]) => {
    try {
      return [name, one(env)]
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown
      problems.push(...thrown.problems)
      return [name, undefined]
    }
  })
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
  return Object.fromEntries(read) as Read<P>
}

/** Names of every variable that some parts read. */
export const namesOf = (parts: Parts): string[] => [
  ...new Set(Object.values(parts).flatMap(({ names }) => names)),
]
