/** A typed client of Reticle's REST API, for Node.js 20 and later and for browsers. */
export const apiVersion = '2.58.1'
