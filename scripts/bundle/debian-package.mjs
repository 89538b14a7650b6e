export const debianPackage = () => '';
