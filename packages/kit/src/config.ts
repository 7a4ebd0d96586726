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

/**
 * Reads settings by a schema whose keys are the names of variables. An empty variable counts as absent.
 *
 * @throws ConfigError naming every variable that cannot be used
 */
export function readEnv<S extends z.ZodObject>(schema: S, env: Env): Readonly<z.output<S>> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = schema.safeParse(given)
  if (read.success) return Object.freeze(read.data)
  throw new ConfigError(
    read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  )
}

const words = { true: true, false: false, '1': true, '0': false } as const

/** Pieces of settings schemas. */
export const setting = {
  number: (fallback: number) => z.coerce.number().default(fallback),
  flag: (fallback: boolean) =>
    z
      .enum(['true', 'false', '1', '0'])
      .transform((word) => words[word])
      .pipe(z.boolean())
      .default(fallback),
  list: () =>
    z
      .string()
      .default('')
      .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
      .pipe(z.array(z.string())),
}
