/** Version of the REST API, also in `X-Service-Version`. */
export const apiVersion = '2.58.1'
export const mediaType = 'application/vnd.service+json'

/** Media types of JSON requests and responses. */
export const jsonTypes = [mediaType, 'application/json'] as const
