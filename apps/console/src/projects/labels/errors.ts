import { ApiError } from '@reticle/sdk'

/** What the service says about one field: `name`, `labels[1].name`. */
export type ErrorsAt = (field: string) => readonly string[]

export function errorsOf(error: Error | null | undefined): ErrorsAt {
  const fields = error instanceof ApiError ? error.fields : {}
  return (field) => fields[field] ?? []
}

/** Of what lies below a field. */
export const below =
  (errorsAt: ErrorsAt, field: string): ErrorsAt =>
  (inner) =>
    errorsAt(`${field}.${inner}`)
