/** Version of the package and of the API that it supports. */
export const version = '2.58.1'
