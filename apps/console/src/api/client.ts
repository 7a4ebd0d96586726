import { createClient } from '@reticle/sdk'

/** Typed API client, the only way to the service; it uses the session cookie of the browser. */
export const api = createClient({ url: location.origin, cookies: true })
