import { ApiError } from '@reticle/sdk'

/** Returns the errors of the service for one field: `name`, `labels[1].name`. */
export type ErrorsAt = (field: string) => readonly string[]

export function errorsOf(error: Error | null | undefined): ErrorsAt {
  const fields = error instanceof ApiError ? error.fields : {}
  return (field) => fields[field] ?? []
}

/** Returns the errors of fields inside a field. */
export const below =
  (errorsAt: ErrorsAt, field: string): ErrorsAt =>
  (inner) =>
    errorsAt(`${field}.${inner}`)
