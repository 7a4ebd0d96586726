/** That of the package, and of the interface it speaks. */
export const version = '2.58.1'
