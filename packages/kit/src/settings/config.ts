import { z } from 'zod'

/**
 * Error that lists every invalid variable with its accepted form. It is
 * meant for the operator at the terminal, not for a log.
 */
export class ConfigError extends Error {
  /** Messages of the form `RETICLE_PORT: ...`, one for each variable. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(['These settings cannot be used:', ...problems.map((one) => `  ${one}`)].join('\n'))
    this.problems = problems
  }
}

/** Environment variables of a process. */
export type Env = Record<string, string | undefined>

/** Environment variables of this process. */
export const environment: Env = process.env

/**
 * Parses settings by a schema whose keys are names of variables. An empty variable counts as absent.
 * @throws ConfigError listing every invalid variable
 */
export function readEnv<S extends z.ZodObject>(schema: S, env: Env): Readonly<z.output<S>> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = schema.safeParse(given)
  if (read.success) return Object.freeze(read.data)
  const problems = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError([...new Set(problems)]) // a fraction beyond a bound would be reported twice
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

/** Building blocks for schemas of settings. */
export const setting = {
  /** A whole number within both bounds, which are included. */
  whole,
  port: (fallback: number) => whole(fallback, 0, 65_535),
  flag: (fallback: boolean) =>
    z
      .enum(['true', 'false', '1', '0'])
      .transform((word) => words[word])
      .pipe(z.boolean())
      .default(fallback),
  /** A flag that is undefined if absent, so that the program can derive it from other settings. */
  optionalFlag: () =>
    z
      .enum(['true', 'false', '1', '0'])
      .transform((word) => words[word])
      .pipe(z.boolean())
      .optional(),
  /**
   * The public origin of the installation, without a trailing slash. A path is rejected because every page and route is
   * at the root of the host.
   */
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
