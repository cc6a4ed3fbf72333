# Install rules are added with the parts they install.
