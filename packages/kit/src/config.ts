import { z } from 'zod'

/** Every bad variable at once, each with what would be right: for the person at the terminal, not for a log. */
export class ConfigError extends Error {
  /** `RETICLE_PORT: ...`, one a variable. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(['These settings cannot be used:', ...problems.map((one) => `  ${one}`)].join('\n'))
    this.problems = problems
  }
}

/** The environment of a process, as text. */
export type Env = Record<string, string | undefined>

/** The environment of this process. */
export const environment: Env = process.env

/**
 * Reads settings by a schema whose keys are the names of variables. An empty variable counts as absent.
 *
 * @throws ConfigError naming every variable that cannot be used
 */
export function readEnv<S extends z.ZodObject>(schema: S, env: Env): Readonly<z.output<S>> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = schema.safeParse(given)
  if (read.success) return Object.freeze(read.data)
  const problems = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError([...new Set(problems)]) // 1.5 beyond a bound is wrong twice
}

function whole(fallback: number, min: number, max = Number.MAX_SAFE_INTEGER) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`
  const error = `must be a whole number ${bounds}, without a unit`
  return z.coerce
    .number({ error })
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .default(fallback)
}

const words = { true: true, false: false, '1': true, '0': false } as const

/** Pieces of settings schemas. */
export const setting = {
  /** A whole number, both bounds included. */
  whole,
  port: (fallback: number) => whole(fallback, 0, 65_535),
  flag: (fallback: boolean) =>
    z
      .enum(['true', 'false', '1', '0'])
      .transform((word) => words[word])
      .pipe(z.boolean())
      .default(fallback),
  /** Undefined where it is not given: the program decides by other settings. */
  optionalFlag: () =>
    z
      .enum(['true', 'false', '1', '0'])
      .transform((word) => words[word])
      .pipe(z.boolean())
      .optional(),
  /** The address that people and clients use, without a slash at its end. Every page and route is at the root of its host. */
  publicUrl: () =>
    z
      .url({ protocol: /^https?$/ })
      .transform((given, context) => {
        const { origin, pathname, search, hash } = new URL(given)
        const isRoot = [...pathname].every((one) => one === '/')
        if (isRoot && search === '' && hash === '') return origin
        context.addIssue(
          `has to be without a path, because Reticle is at the root of its host: ${origin}`,
        )
        return z.NEVER
      })
      .optional(),
  list: () =>
    z
      .string()
      .default('')
      .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
      .pipe(z.array(z.string())),
}
