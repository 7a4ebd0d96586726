import { z } from 'zod'

/** API of a client: that of the service, or a dialect (docs/spec/dialect.md#mount). */
export const dialectNames = ['service', 'cvat'] as const

export const dialect = z.enum(dialectNames)

export type DialectName = z.infer<typeof dialect>
