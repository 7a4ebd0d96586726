/** The version of the interface, also in `X-Service-Version` (contract, Versioning). */
export const apiVersion = '2.58.1'
export const mediaType = 'application/vnd.service+json'

/** What JSON is sent and asked for as (`spec/api-workspace.md` 1.2). */
export const jsonTypes = [mediaType, 'application/json'] as const
